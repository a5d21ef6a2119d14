package dev.sluice.engine.versions;

import dev.sluice.engine.image.HashMultipliers;

/**
 * Layout of a tuple space that answers for every tick at once ({@code VersionedTuples}). Memory is
 * used once: a word that was written changes afterwards only where it is a TO, a NEXT, the head of
 * a chain, a BEST or a bucket, and whatever of these a look-up sees, old or new, its answer is the
 * same.
 *
 * <pre>
 * head       header words | position of the ports | offset of the masks in an entry | words of an
 *            entry | 0, up to FIRST
 * directory  tuples | offset of the pruning block, 0 for none | offset of the record of each
 * pruning    shift | positions of two header words | 0 | buckets of the first word, then of the
 *            second: one for all its values, then 2^(32 - shift) others
 * bucket     a bit each tuple, in three words | 0
 * record     best | table | shift | terms | (position, mask) each term
 * table      2^(32 - shift) words: first entry of the chain of each value of the key's upper bits
 * entry      next | from | to | digest | precede | sub high | sub low | slot | a value each header
 *            word, 0 up to a multiple of four | masks likewise | source ports | destination ports
 * </pre>
 *
 * <p>All references are word offsets from the start, 0 for none. Directories, records, tables and
 * entries begin at multiples of four words. Ticks are kept as {@link #NEVER} - tick, so that a word
 * that nobody wrote says never.
 *
 * <p>A look-up at tick v, with the directory of v, for a header whose best base rule has position i
 * ({@link Integer#MAX_VALUE} for none):
 *
 * <pre>
 * best = (i, largest sub), found = none;  now = NEVER - v
 * for each tuple of the directory whose BEST &lt;= best.precede, and which, if there is a pruning
 *         block, is for both words in the bucket for all values or in that of the word's upper half
 *     key = finish(mix(... mix(0, header[position] &amp; mask) ...)) over the tuple's terms
 *     for e = word (key &gt;&gt;&gt; SHIFT) of the table; e != 0; e = NEXT of e
 *         if DIGEST of e == key and FROM of e &gt;= now and TO of e &lt; now
 *                 and (PRECEDE, SUB_HIGH, SUB_LOW) of e &lt; best
 *                 and the header has e's values under its masks, and ports in its ranges
 *             best = its order, found = SLOT of e
 * the verdict is: rules of the base + found, or i where nothing was found
 * </pre>
 *
 * <p>mix and finish are {@link dev.sluice.engine.tuplespace.TupleSpaceLayout}'s. FROM, TO, PRECEDE,
 * SUB_HIGH and SHIFT are never negative; SUB_LOW and DIGEST are unsigned. Entries of one chain are
 * in no order but that of their coming.
 */
public final class VersionedTuplesLayout {
    // The head.
    /** Number of header words. */
    public static final int WORDS_AT = 0;

    /** Position of the ports among the header words, -1 where they lack them. */
    public static final int PORTS_AT = 1;

    /** Offset of an entry's masks. */
    public static final int MASKS_AT = 2;

    /** Size of an entry in words, a multiple of four. */
    public static final int STRIDE_AT = 3;

    /** First word behind the head. */
    public static final int FIRST = 16;

    /** Blocks begin at multiples of so many words. */
    public static final int ALIGNMENT = 4;

    // A directory.
    /** Number of tuples. */
    public static final int TUPLES = 0;

    /** Offset of the block that says which tuples need not be looked into, 0 for none. */
    public static final int PRUNING = 1;

    /** Offsets of the tuples' records. */
    public static final int RECORDS = 2;

    /** Most tuples; their bits fit three words of a bucket. */
    public static final int MOST_TUPLES = 96;

    // A pruning block.
    /** Bits to the right of those of an upper half's hash that choose the bucket. */
    public static final int PRUNING_SHIFT = 0;

    /** Positions of the two header words. */
    public static final int PRUNING_POSITIONS = 1;

    /** Offset of the buckets. */
    public static final int PRUNING_BUCKETS = 4;

    /** Size of a bucket in words. */
    public static final int BUCKET = 4;

    // A tuple's record.
    /** Smallest PRECEDE of its entries, or a smaller one; sinks only. */
    public static final int BEST = 0;

    /** Offset of the heads of its chains. */
    public static final int TABLE = 1;

    /** Bits to the right of those of a key that choose the chain, at most 30. */
    public static final int SHIFT = 2;

    /** Number of terms. */
    public static final int TERMS = 3;

    public static final int FIRST_TERM = 4;

    // A term.
    /** Position of a header word. */
    public static final int TERM_POSITION = 0;

    /** Mask of the tuple in that word, never 0. */
    public static final int TERM_MASK = 1;

    /** Size of a term in words. */
    public static final int TERM = 2;

    // An entry.
    /** Next entry of the chain. */
    public static final int NEXT = 0;

    /** {@link #NEVER} - first tick at which it counts. */
    public static final int FROM = 1;

    /** {@link #NEVER} - first tick at which it counts no more; 0 while there is none. */
    public static final int TO = 2;

    /** Digest of its key under its tuple's mask. */
    public static final int DIGEST = 3;

    /** Rules of the base that are better, removed ones counted. */
    public static final int PRECEDE = 4;

    /** Place among the entries of one PRECEDE, smaller is better: upper 32 of 64 bits. */
    public static final int SUB_HIGH = 5;

    /** Lower 32 bits, unsigned. */
    public static final int SUB_LOW = 6;

    /** Number of the rule among those that the overlay ever had. */
    public static final int SLOT = 7;

    /** One each header word; masks and port ranges follow. */
    public static final int VALUES = 8;

    /** Range of source ports, counted from the end of the masks, as a rule table has it. */
    public static final int SRC_PORTS = 0;

    /** Range of destination ports, counted from the end of the masks. */
    public static final int DST_PORTS = 1;

    /** Size of both ranges in words. */
    public static final int RANGES = 2;

    // Ticks.
    /** The tick at which nothing is there; a tick t is kept as NEVER - t. */
    public static final int NEVER = Integer.MAX_VALUE;

    private VersionedTuplesLayout() {}

    /**
     * Offset of the buckets of one of the two words in a pruning block; the first is the one for
     * all values, {@link #bucketOf} counts the others.
     */
    static int buckets(int block, int field, int shift) {
        return block + PRUNING_BUCKETS + field * BUCKET * ((1 << 32 - shift) + 1);
    }

    /** Words from the buckets' offset to that of an upper half of a header word. */
    static int bucketOf(int half, int shift) {
        return BUCKET * bucketNumber(half, shift);
    }

    /** Number of the bucket of a half of a header word, from 1 on: before it is that of all. */
    static int bucketNumber(int half, int shift) {
        return 1 + (half * HashMultipliers.GOLDEN >>> shift);
    }

    /** Place of an entry among those of its PRECEDE; smaller is better. */
    static long place(int[] w, int entry) {
        return (long) w[entry + SUB_HIGH] << 32 | w[entry + SUB_LOW] & 0xffffffffL;
    }

    /** Header words rounded up to whole loads of four. */
    static int rounded(int words) {
        return words + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
