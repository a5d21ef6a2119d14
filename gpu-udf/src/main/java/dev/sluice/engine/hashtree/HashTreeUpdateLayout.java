package dev.sluice.engine.hashtree;

/**
 * Layout of the memory that lies beside the image of an H-HashTree on a device whose rules come and
 * go there by the kernels of {@code hash_tree_update.cuh}; n is the most rules of a launch.
 *
 * <pre>
 * head      marked buckets of this launch | n | words of the counters | 0
 * next      n: the next rule of the launch in this one's bucket, + 1
 * mark      n: the rule's bucket where it is the first to come there, else 0
 * marked    n: the marked buckets, moved together
 * counters  how many rules set each bit of the filters, a byte each, of which 255 stays
 * first     for each word of the image the first rule of the launch whose bucket is there, + 1
 * </pre>
 */
public final class HashTreeUpdateLayout {
    /** Number of marked buckets of this launch. */
    static final int MARKED = 0;

    /** Rules of a launch, at most. */
    public static final int MOST = 1;

    /** Size of the counters in words. */
    public static final int COUNTERS = 2;

    /** Size of the head in words. */
    public static final int HEAD = 4;

    /** Numbers for each rule of a launch that follow the head. */
    static final int RULE_WORDS = 3;

    /** Marks the link of a row that goes. */
    static final int BLANK = Integer.MIN_VALUE;

    /** Value at which a counter stays. */
    static final int COUNTER_STAYS = 255;

    /** Offset of the counters. */
    public static long counters(int most) {
        return HEAD + (long) RULE_WORDS * most;
    }

    /** Returns the size of the memory beside an image, in words. */
    public static long words(int most, int counterWords, long imageWords) {
        return counters(most) + counterWords + imageWords;
    }

    private HashTreeUpdateLayout() {}
}
