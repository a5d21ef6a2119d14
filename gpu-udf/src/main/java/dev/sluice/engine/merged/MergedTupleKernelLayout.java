package dev.sluice.engine.merged;

/**
 * Layout of the parameter that the fast kernel of merged tuples takes beside the image ({@link
 * MergedTupleKernelParameters}).
 *
 * <pre>
 * head    tuples, a multiple of four | offset of the entries | tuples of a group | 0
 * tuple   best rank | table | 32 less log2 of its words | two (position, mask) pairs of its key
 *         | number of other pairs (31..16) . where they stand in this parameter (15..0)
 * pairs   (position, mask) pairs that have no room in the tuples' records
 * </pre>
 */
final class MergedTupleKernelLayout {
    /** Size of the parameter in words. */
    static final int WORDS = 1000;

    // The head.
    static final int TUPLES = 0;
    static final int ENTRIES = 1;

    /** Tuples whose lists are noted before they are read. */
    static final int GROUP = 2;

    /** First record of a tuple. */
    static final int HEAD = 4;

    // A tuple's record.
    /** Size of a tuple's record in words. */
    static final int RECORD = 8;

    static final int BEST = 0;
    static final int TABLE = 1;

    /** Shift of keys that gives a word of the table. */
    static final int SHIFT = 2;

    static final int FIRST_POSITION = 3;
    static final int FIRST_MASK = 4;
    static final int SECOND_POSITION = 5;
    static final int SECOND_MASK = 6;

    /** Number and place of the other pairs. */
    static final int MORE = 7;

    static final int MORE_PLACE = 0xffff;
    static final int MORE_COUNT_AT = 16;

    /** Pairs (position, mask) of a key that stand in its tuple's record. */
    static final int PAIRS = 2;

    /** Tuples that the kernel takes at a time. */
    static final int TOGETHER = 4;

    /** Tuples whose lists the kernel notes before it reads them, at most. */
    static final int MOST_NOTED = 8;

    private MergedTupleKernelLayout() {}
}
