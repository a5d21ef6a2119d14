package dev.sluice.engine.pairs;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rfc.RfcLayout;

/**
 * The shape of an image of address pairs in one record, as the GPU's fast kernel takes it as a
 * parameter; the kernel's source has the same record.
 */
public final class PairPlan {
    private static final int LEVELS = 4;

    /** In place of the number of levels: ranges. Without levels it is a trie. */
    private static final int RANGES = LEVELS + 1;

    private static final int STEPS = 7;
    private static final int GROUPS = 8;
    private static final int HEADER_WORDS = 4;
    private static final int LEVEL_WORDS = 5;
    private static final int STEP_WORDS = 9;
    private static final int HEAD_WORDS = 8;
    private static final int AXIS_WORDS = 6;
    private static final int MOST_ROW_WORDS = 4;
    private static final int[] NONE = {};

    private final int[] w;
    private final int head;
    private final int rules;
    private final int[] plan =
            new int
                    [HEAD_WORDS
                            + 2 * (AXIS_WORDS + LEVELS * LEVEL_WORDS)
                            + STEPS * STEP_WORDS
                            + GROUPS * PairLayout.RECORD];

    private PairPlan(Image image) {
        w = image.words();
        rules = image.rules();
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
        plan[0] = classSteps;
        plan[1] = groups;
        plan[2] = w[head + PairLayout.PATTERNS];
        plan[3] = w[head + PairLayout.PATTERN_ENTRIES];
        plan[4] = w[head + PairLayout.LISTS];
        plan[5] = w[head + PairLayout.LIST_BITS];
        plan[6] = w[head + PairLayout.CELL_BITS];
        plan[7] = rules;
        for (int a = 0; a < 2; a++) {
            if (!axis(head + PairLayout.AXES + a * PairLayout.AXIS, axisAt(a))) {
                return false;
            }
        }
        int at = axisAt(2);
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
        System.arraycopy(
                w,
                w[head + PairLayout.GROUPS],
                plan,
                plan.length - GROUPS * PairLayout.RECORD,
                groups * PairLayout.RECORD);
        return true;
    }

    private static int axisAt(int axis) {
        return HEAD_WORDS + axis * (AXIS_WORDS + LEVELS * LEVEL_WORDS);
    }

    private boolean axis(int record, int to) {
        int form = w[record + PairLayout.FORM];
        int place = w[record + PairLayout.AT];
        plan[to + 1] = form == PairLayout.LEVELS ? 0 : place;
        plan[to + 2] = w[record + PairLayout.POSITION];
        plan[to + 3] = w[record + PairLayout.PARENTS];
        plan[to + 4] = w[record + PairLayout.ROWS];
        plan[to + 5] = w[record + PairLayout.ROW_WORDS];
        plan[to] = form == PairLayout.RANGES ? RANGES : 0;
        return w[record + PairLayout.ROW_WORDS] <= MOST_ROW_WORDS
                && (form != PairLayout.LEVELS || levels(to, place));
    }

    /** Copies the chain of tables that ends with a step, first level first. */
    private boolean levels(int to, int last) {
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
        plan[to] = n;
        for (int l = 0; l < n; l++) {
            int record = step(chain[n - 1 - l]);
            int at = to + AXIS_WORDS + l * LEVEL_WORDS;
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
