package dev.sluice.engine.pairs;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rfc.RfcLayout;

/**
 * The shape of an image of address pairs in one record, as the GPU's fast kernel takes it as a
 * parameter; the kernel's source has the same record.
 */
public final class PairPlan {
    private static final int LEVELS = 4;
    private static final int STEPS = 7;
    private static final int GROUPS = 8;
    private static final int HEADER_WORDS = 4;
    private static final int LEVEL_WORDS = 5;
    private static final int STEP_WORDS = 9;
    private static final int GROUP_WORDS = 3;
    private static final int HEAD_WORDS = 10;
    private static final int[] NONE = {};

    private final int[] w;
    private final int head;
    private final int[] plan =
            new int
                    [HEAD_WORDS
                            + 2 * LEVELS * LEVEL_WORDS
                            + STEPS * STEP_WORDS
                            + GROUPS * GROUP_WORDS];

    private PairPlan(Image image) {
        w = image.words();
        head = w[PairLayout.HEAD_AT];
    }

    /** The record, empty where the image has more words, levels, steps or groups than it holds. */
    public static int[] of(Image image) {
        PairPlan plan = new PairPlan(image);
        return image.layout().size() <= HEADER_WORDS && plan.fill() ? plan.plan : NONE;
    }

    private int step(int number) {
        return w[head + PairLayout.STEPS] + number * RfcLayout.RECORD;
    }

    private boolean fill() {
        int groups = w[head + PairLayout.GROUP_COUNT];
        int classSteps = w[head + PairLayout.CLASS_STEP] + 1;
        if (groups > GROUPS || classSteps > STEPS) {
            return false;
        }
        plan[4] = classSteps;
        plan[5] = groups;
        plan[6] = w[head + PairLayout.MAP_STRIDE];
        plan[7] = w[head + PairLayout.SOURCES];
        plan[8] = w[head + PairLayout.DESTINATIONS];
        plan[9] = w[head + PairLayout.PATTERNS];
        for (int axis = 0; axis < 2; axis++) {
            int last = w[head + PairLayout.SOURCE_STEP + axis];
            int root = w[head + PairLayout.SOURCE_ROOT + axis];
            if (last >= 0 && !levels(axis, last)) {
                return false;
            }
            if (last < 0) {
                plan[2 * axis + 1] = root;
            }
        }
        int at = HEAD_WORDS + 2 * LEVELS * LEVEL_WORDS;
        for (int s = 0; s < classSteps; s++, at += STEP_WORDS) {
            int record = step(s);
            int kind = w[record + RfcLayout.KIND];
            if (w[record + RfcLayout.MODE] == RfcLayout.BITMAP
                    || kind == 1
                    || kind == RfcLayout.CHUNK
                            && (w[record + RfcLayout.POSITION] < 0
                                    || w[record + RfcLayout.ABOVE] != 0)) {
                return false;
            }
            plan[at] = w[record + RfcLayout.TABLE];
            plan[at + 1] = w[record + RfcLayout.MODE];
            plan[at + 2] = kind;
            System.arraycopy(w, record + RfcLayout.INPUTS, plan, at + 3, STEP_WORDS - 3);
        }
        int records = w[head + PairLayout.GROUPS];
        for (int g = 0; g < groups; g++) {
            int to = plan.length - (GROUPS - g) * GROUP_WORDS;
            System.arraycopy(w, records + g * PairLayout.RECORD, plan, to, GROUP_WORDS);
        }
        return true;
    }

    /** Copies the chain of tables that ends with a step, first level first. */
    private boolean levels(int axis, int last) {
        int[] chain = new int[LEVELS];
        int n = 0;
        for (int s = last; ; s = w[step(s) + RfcLayout.ABOVE] - 1) {
            if (n == LEVELS) {
                return false;
            }
            chain[n++] = s;
            if (w[step(s) + RfcLayout.ABOVE] == 0) {
                break;
            }
        }
        plan[2 * axis] = n;
        plan[2 * axis + 1] = w[step(last) + RfcLayout.POSITION];
        for (int l = 0; l < n; l++) {
            int record = step(chain[n - 1 - l]);
            int at = HEAD_WORDS + (axis * LEVELS + l) * LEVEL_WORDS;
            plan[at] = w[record + RfcLayout.TABLE];
            plan[at + 1] = w[record + RfcLayout.MODE];
            plan[at + 2] = w[record + RfcLayout.SHIFT];
            plan[at + 3] = w[record + RfcLayout.MASK];
            plan[at + 4] = w[record + RfcLayout.LOWER_BITS];
            if (w[record + RfcLayout.MODE] == RfcLayout.BITMAP) {
                return false;
            }
        }
        return true;
    }
}
