package dev.sluice.engine.crossproduct;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.rfc.RfcLayout;

/**
 * The shape of an image of address pairs in one record, as the GPU's fast kernel takes it as a
 * parameter; the kernel's source has the same record.
 */
public final class CrossproductKernelParameters {
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
                            + GROUPS * CrossproductLayout.RECORD];

    private CrossproductKernelParameters(Image image) {
        w = image.words();
        rules = image.rules();
        head = w[CrossproductLayout.HEAD_AT];
    }

    /** The record, empty where the image has more words, levels, steps or groups than it holds. */
    public static int[] of(Image image) {
        CrossproductKernelParameters plan = new CrossproductKernelParameters(image);
        return image.layout().size() <= HEADER_WORDS && plan.fill() ? plan.plan : NONE;
    }

    private int step(int number) {
        return w[head + CrossproductLayout.STEPS] + number * RfcLayout.RECORD;
    }

    private boolean fill() {
        int groups = w[head + CrossproductLayout.GROUP_COUNT];
        int classSteps = w[head + CrossproductLayout.CLASS_STEP] + 1;
        if (groups > GROUPS || classSteps > STEPS) {
            return false;
        }
        plan[0] = classSteps;
        plan[1] = groups;
        plan[2] = w[head + CrossproductLayout.PATTERNS];
        plan[3] = w[head + CrossproductLayout.PATTERN_ENTRIES];
        plan[4] = w[head + CrossproductLayout.LISTS];
        plan[5] = w[head + CrossproductLayout.LIST_BITS];
        plan[6] = w[head + CrossproductLayout.CELL_BITS];
        plan[7] = rules;
        for (int a = 0; a < 2; a++) {
            if (!axis(head + CrossproductLayout.AXES + a * CrossproductLayout.AXIS, axisAt(a))) {
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
                w[head + CrossproductLayout.GROUPS],
                plan,
                plan.length - GROUPS * CrossproductLayout.RECORD,
                groups * CrossproductLayout.RECORD);
        return true;
    }

    private static int axisAt(int axis) {
        return HEAD_WORDS + axis * (AXIS_WORDS + LEVELS * LEVEL_WORDS);
    }

    private boolean axis(int record, int to) {
        int form = w[record + CrossproductLayout.FORM];
        int place = w[record + CrossproductLayout.AT];
        plan[to + 1] = form == CrossproductLayout.LEVELS ? 0 : place;
        plan[to + 2] = w[record + CrossproductLayout.POSITION];
        plan[to + 3] = w[record + CrossproductLayout.PARENTS];
        plan[to + 4] = w[record + CrossproductLayout.ROWS];
        plan[to + 5] = w[record + CrossproductLayout.ROW_WORDS];
        plan[to] = form == CrossproductLayout.RANGES ? RANGES : 0;
        return w[record + CrossproductLayout.ROW_WORDS] <= MOST_ROW_WORDS
                && (form != CrossproductLayout.LEVELS || levels(to, place));
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
