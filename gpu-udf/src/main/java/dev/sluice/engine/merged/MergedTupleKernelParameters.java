package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;

/**
 * The classes of an image in one record, as the GPU's fast kernel takes it as a parameter; the
 * kernel's source describes it.
 */
public final class MergedTupleKernelParameters {
    private static final int WORDS = 1000;
    private static final int HEAD = 4;
    private static final int CLASS = 8;

    /** Pairs (position, mask) of a key that stand in its class's record. */
    private static final int PAIRS = 2;

    /** Classes that the kernel takes at a time. */
    private static final int TOGETHER = 4;

    /** Classes whose lists the kernel notes before it reads them, at most. */
    private static final int NOTED_CLASSES = 8;

    /** Classes that the record has room for, at most. */
    private static final int MOST_CLASSES = (WORDS - HEAD) / CLASS & -TOGETHER;

    private static final int[] NONE = {};

    private MergedTupleKernelParameters() {}

    /** Words that the kernel notes for a header. */
    public static int noted(int classes) {
        return Math.max(TOGETHER, Math.min(padded(classes), NOTED_CLASSES));
    }

    private static int padded(int classes) {
        return classes + TOGETHER - 1 & -TOGETHER;
    }

    /** The record, empty where the image has no lists or more classes than it has room for. */
    public static int[] of(Image image) {
        int[] w = image.words();
        int[] plan = new int[WORDS];
        int classes = w[TupleSpaceLayout.CLASSES_AT];
        int padded = padded(classes);
        int entries = w[TupleSpaceLayout.EXTRA_AT];
        if (padded > MOST_CLASSES || entries == 0) {
            return NONE;
        }
        plan[0] = padded;
        plan[1] = entries;
        plan[2] = noted(classes);
        int pairs = HEAD + CLASS * padded;
        for (int c = 0; c < padded; c++) {
            int at = HEAD + CLASS * c;
            if (c >= classes) { // the words before the entries are a table without lists
                plan[at] = -1;
                plan[at + 1] = entries - KeyLists.ENTRY;
                plan[at + 2] = 31;
                continue;
            }
            int record = w[w[TupleSpaceLayout.ORDER_AT] + 2 * c + 1];
            int lists = w[record + TupleSpaceLayout.LISTS];
            plan[at] = w[w[TupleSpaceLayout.ORDER_AT] + 2 * c];
            plan[at + 1] = lists + 1;
            plan[at + 2] = 32 - w[lists];
            int count = w[record + TupleSpaceLayout.TERMS];
            int more = Math.max(0, count - PAIRS);
            if (pairs + 2 * more > WORDS) {
                return NONE;
            }
            int first = record + TupleSpaceLayout.FIRST_TERM;
            System.arraycopy(w, first, plan, at + 3, 2 * (count - more));
            plan[at + 7] = more << 16 | pairs;
            System.arraycopy(w, first + 2 * PAIRS, plan, pairs, 2 * more);
            pairs += 2 * more;
        }
        return plan;
    }
}
