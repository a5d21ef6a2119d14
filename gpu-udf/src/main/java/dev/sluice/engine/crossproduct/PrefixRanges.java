package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.prefix.Prefix;
import dev.sluice.engine.prefix.PrefixSet;
import org.jspecify.annotations.Nullable;

/**
 * Longest-prefix match on one word by binary search: the upper half of an address names a chunk of
 * the prefixes in walking order; the last of them that starts at or before the lower half is the
 * longest around the address, or else one of those around it is (chunks after M. Zec, L. Rizzo, M.
 * Mikuc, "DXR: towards a billion routing lookups per second in software", CCR 2012).
 *
 * <pre>
 * root     65,536 words: a chunk's first prefix &lt;&lt; 11 | its prefixes; without any, the one around it
 * ranges   a prefix: first &lt;&lt; 16 | last of its addresses within its chunk
 * parents  a prefix: the longest around it; sign bit: that one holds the whole chunk
 * </pre>
 *
 * <p>Prefixes are numbered from 1 on, 0 is for none. Memory: 256 KiB and 8 bytes a prefix, of which
 * those of addresses between prefixes touch the second half. Immutable.
 *
 * @param root words of the root
 * @param ranges of each prefix
 * @param parents of each prefix
 */
record PrefixRanges(int[] root, int[] ranges, int[] parents) {
    static final int COUNT_BITS = 11;
    static final int CHUNKS = 1 << 16;
    private static final int MOST_IN_CHUNK = (1 << COUNT_BITS) - 1;
    private static final int MOST_PREFIXES = (1 << 32 - COUNT_BITS) - 1;

    /** The ranges of prefixes of at most 32 bits, null if a chunk or all of them are too many. */
    static @Nullable PrefixRanges of(PrefixSet set) {
        int n = set.size();
        if (n > MOST_PREFIXES) {
            return null;
        }
        int[] root = new int[CHUNKS];
        int[] ranges = new int[n + 1];
        int[] parents = new int[n + 1];
        int next = 0;
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            int first = next;
            while (next < n && set.prefixes[next].word(0) >>> 16 == chunk) {
                Prefix p = set.prefixes[next];
                int lower = p.word(0) & 0xffff;
                int parent = set.parent[next];
                boolean holds = parent < 0 || set.prefixes[parent].length() <= 16;
                ranges[next + 1] =
                        lower << 16 | lower | (int) (0xffffL >>> Math.max(0, p.length() - 16));
                parents[next + 1] = parent + 1 | (holds ? Integer.MIN_VALUE : 0);
                next++;
            }
            if (next - first > MOST_IN_CHUNK) {
                return null;
            }
            int around = next - 1;
            Prefix whole = new Prefix((long) chunk << 48, 0, 16);
            while (next == first && around >= 0 && !set.prefixes[around].covers(whole)) {
                around = set.parent[around];
            }
            root[chunk] =
                    next > first
                            ? first + 1 << COUNT_BITS | next - first
                            : around + 1 << COUNT_BITS;
        }
        return new PrefixRanges(root, ranges, parents);
    }

    /** Writes root, ranges and parents one behind the other; returns the offset of the root. */
    int write(WordWriter out) {
        int at = out.reserve(CHUNKS + 2L * ranges.length);
        int word = at;
        for (int[] part : new int[][] {root, ranges, parents}) {
            for (int value : part) {
                out.set(word++, value);
            }
        }
        return at;
    }
}
