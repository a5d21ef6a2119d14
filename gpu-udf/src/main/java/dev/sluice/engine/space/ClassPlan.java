package dev.sluice.engine.space;

import dev.sluice.engine.image.Image;

/**
 * The classes of an image in one record, as the GPU's fast kernel takes it as a parameter; the
 * kernel's source describes it.
 */
public final class ClassPlan {
    private static final int WORDS = 1000;
    private static final int HEAD = 4;
    private static final int CLASS = 15;
    private static final int[] NONE = {};

    private ClassPlan() {}

    /** The record, empty where the classes need more room than it has. */
    public static int[] of(Image image) {
        int[] w = image.words();
        int[] plan = new int[WORDS];
        int classes = w[SpaceLayout.CLASSES_AT];
        if (HEAD + CLASS * classes > WORDS) {
            return NONE;
        }
        plan[0] = classes;
        plan[1] = w[SpaceLayout.ROWS_AT];
        plan[2] = w[SpaceLayout.STRIDE_AT];
        plan[3] = w[SpaceLayout.PORTS_AT];
        int terms = HEAD + CLASS * classes;
        for (int c = 0; c < classes; c++) {
            int record = w[w[SpaceLayout.ORDER_AT] + 2 * c + 1];
            int count = w[record + SpaceLayout.TERMS];
            if (terms + 2 * count > WORDS) {
                return NONE;
            }
            int at = HEAD + CLASS * c;
            plan[at] = w[w[SpaceLayout.ORDER_AT] + 2 * c];
            System.arraycopy(w, record + SpaceLayout.CELLS, plan, at + 1, 3);
            System.arraycopy(w, record + SpaceLayout.CONSTANTS, plan, at + 4, 6);
            plan[at + 10] = w[record + SpaceLayout.STASH];
            plan[at + 11] = w[record + SpaceLayout.STASHED];
            plan[at + 12] = w[record + SpaceLayout.FILTER];
            plan[at + 13] = w[record + SpaceLayout.FILTER_BITS];
            plan[at + 14] = count << 16 | terms;
            System.arraycopy(w, record + SpaceLayout.FIRST_TERM, plan, terms, 2 * count);
            terms += 2 * count;
        }
        return plan;
    }
}
