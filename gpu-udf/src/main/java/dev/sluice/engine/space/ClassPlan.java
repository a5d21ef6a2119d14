package dev.sluice.engine.space;

import dev.sluice.engine.image.Image;

/**
 * The classes of an image in one record, as the GPU's fast kernel takes it as a parameter; the
 * kernel's source describes it.
 */
public final class ClassPlan {
    private static final int WORDS = 1000;
    private static final int HEAD = 4;
    private static final int CLASS = 7;

    /** Classes that the record has room for, at most. */
    public static final int MOST_CLASSES = (WORDS - HEAD) / CLASS;

    private static final int[] NONE = {};

    private ClassPlan() {}

    /**
     * The record, empty where the classes need more room than it has, have no buckets, or rows are
     * not in the order of ranks.
     */
    public static int[] of(Image image) {
        int[] w = image.words();
        int[] plan = new int[WORDS];
        int classes = w[SpaceLayout.CLASSES_AT];
        if (classes > MOST_CLASSES) {
            return NONE;
        }
        plan[0] = classes;
        plan[1] = w[SpaceLayout.ROWS_AT];
        plan[2] = w[SpaceLayout.STRIDE_AT];
        plan[3] = w[SpaceLayout.PORTS_AT];
        for (int row = 0; row < image.rules(); row++) {
            if (w[plan[1] + row * plan[2] + SpaceLayout.RANK] != row) {
                return NONE; // the kernel takes a row's place for its rank
            }
        }
        int terms = HEAD + CLASS * classes;
        for (int c = 0; c < classes; c++) {
            int record = w[w[SpaceLayout.ORDER_AT] + 2 * c + 1];
            int count = w[record + SpaceLayout.TERMS];
            int buckets = w[record + SpaceLayout.BUCKETS];
            if (terms + 2 * count > WORDS || buckets == 0) {
                return NONE;
            }
            int at = HEAD + CLASS * c;
            plan[at] = w[w[SpaceLayout.ORDER_AT] + 2 * c];
            plan[at + 1] = buckets + SpaceLayout.BUCKET;
            plan[at + 2] = w[buckets];
            plan[at + 3] = w[record + SpaceLayout.SEED];
            plan[at + 4] = w[record + SpaceLayout.FILTER];
            plan[at + 5] = w[record + SpaceLayout.FILTER_BITS];
            plan[at + 6] = count << 16 | terms;
            System.arraycopy(w, record + SpaceLayout.FIRST_TERM, plan, terms, 2 * count);
            terms += 2 * count;
        }
        return plan;
    }
}
