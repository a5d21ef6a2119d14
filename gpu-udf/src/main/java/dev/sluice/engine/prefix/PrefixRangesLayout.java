package dev.sluice.engine.prefix;

/**
 * Layout of {@link PrefixRanges} in words, for n prefixes, which are numbered from 1 on, 0 is for
 * none.
 *
 * <pre>
 * root     65,536 words: a chunk's first prefix (31..11) . its prefixes (10..0); without any, the
 *          one around it (31..11) . 0
 * ranges   n + 1: first (31..16) . last (15..0) of a prefix's addresses within its chunk
 * parents  n + 1: the longest prefix around a prefix; sign bit: that one holds the whole chunk
 * </pre>
 */
public final class PrefixRangesLayout {
    /** Upper bits of an address that name its chunk. */
    static final int CHUNK_BITS = 16;

    /** Size of the root in words, one each chunk. */
    static final int CHUNKS = 1 << CHUNK_BITS;

    /** Mask of an address within its chunk. */
    static final int WITHIN_CHUNK = (1 << 32 - CHUNK_BITS) - 1;

    /** Bits of the number of a chunk's prefixes. */
    static final int COUNT_BITS = 11;

    /** Number of a chunk's prefixes. */
    static final int COUNT = (1 << COUNT_BITS) - 1;

    /** Bits to the right of a range's first address. */
    static final int FIRST_SHIFT = 16;

    /** Mask of a range's last address. */
    static final int LAST = 0xffff;

    /** Number of a prefix's parent. */
    static final int PARENT = Integer.MAX_VALUE;

    /** Set if the parent holds the whole chunk. */
    static final int HOLDS_CHUNK = Integer.MIN_VALUE;

    /** Offset of the ranges, behind the root at an offset. */
    static int ranges(int root) {
        return root + CHUNKS;
    }

    /** Offset of the parents of a number of prefixes, behind the root at an offset. */
    public static int parents(int root, int prefixes) {
        return ranges(root) + 1 + prefixes;
    }

    private PrefixRangesLayout() {}
}
