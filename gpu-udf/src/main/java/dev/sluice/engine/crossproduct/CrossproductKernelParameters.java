package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rfc.RfcLayout;

/**
 * Offsets of the tables of a crossproduct image, as one parameter of the GPU's fast kernel, which
 * costs it no loads ({@link CrossproductKernelLayout}).
 */
public final class CrossproductKernelParameters {
    private static final int[] NONE = {};

    private final int[] w;
    private final int head;
    private final int rules;
    private final int[] out = new int[CrossproductKernelLayout.WORDS];

    private CrossproductKernelParameters(Image image) {
        w = image.words();
        rules = image.rules();
        head = w[CrossproductLayout.HEAD_AT];
    }

    /** The parameter, empty where the image has more words, levels, steps or groups than it. */
    public static int[] of(Image image) {
        CrossproductKernelParameters parameters = new CrossproductKernelParameters(image);
        boolean fits =
                image.layout().size() <= CrossproductKernelLayout.HEADER_WORDS && parameters.fill();
        return fits ? parameters.out : NONE;
    }

    private int step(int number) {
        return w[head + CrossproductLayout.STEPS] + number * RfcLayout.RECORD;
    }

    private boolean fill() {
        int groups = w[head + CrossproductLayout.GROUP_COUNT];
        int classSteps = w[head + CrossproductLayout.CLASS_STEP] + 1;
        if (groups > CrossproductKernelLayout.GROUPS
                || classSteps > CrossproductKernelLayout.STEPS) {
            return false;
        }
        out[CrossproductKernelLayout.STEP_COUNT] = classSteps;
        out[CrossproductKernelLayout.GROUP_COUNT] = groups;
        out[CrossproductKernelLayout.PATTERNS] = w[head + CrossproductLayout.PATTERNS];
        out[CrossproductKernelLayout.PATTERN_ENTRIES] =
                w[head + CrossproductLayout.PATTERN_ENTRIES];
        out[CrossproductKernelLayout.LISTS] = w[head + CrossproductLayout.LISTS];
        out[CrossproductKernelLayout.LIST_BITS] = w[head + CrossproductLayout.LIST_BITS];
        out[CrossproductKernelLayout.CELL_BITS] = w[head + CrossproductLayout.CELL_BITS];
        out[CrossproductKernelLayout.RULES] = rules;
        out[CrossproductKernelLayout.LIST_FORM] = w[head + CrossproductLayout.LIST_FORM];
        out[CrossproductKernelLayout.PORTS_POSITION] = w[head + CrossproductLayout.PORTS_POSITION];
        out[CrossproductKernelLayout.CATCH_ALLS] = w[head + CrossproductLayout.CATCH_ALLS];
        for (int a = 0; a < 2; a++) {
            int record = head + CrossproductLayout.AXES + a * CrossproductLayout.AXIS;
            int to = CrossproductKernelLayout.SOURCE + a * CrossproductKernelLayout.AXIS;
            if (!axis(record, to)) {
                return false;
            }
        }
        for (int s = 0; s < classSteps; s++) {
            if (!classStep(
                    step(s),
                    CrossproductKernelLayout.FIRST_STEP + s * CrossproductKernelLayout.STEP)) {
                return false;
            }
        }
        System.arraycopy(
                w,
                w[head + CrossproductLayout.GROUPS],
                out,
                CrossproductKernelLayout.FIRST_GROUP,
                groups * CrossproductLayout.RECORD);
        return true;
    }

    private boolean classStep(int record, int to) {
        int kind = w[record + RfcLayout.KIND];
        if (w[record + RfcLayout.MODE] == RfcLayout.BITMAP
                || kind == RfcLayout.ONE_INPUT
                || kind == RfcLayout.CHUNK
                        && (w[record + RfcLayout.POSITION] == RfcLayout.NO_POSITION
                                || w[record + RfcLayout.ABOVE] != 0)) {
            return false;
        }
        out[to + CrossproductKernelLayout.STEP_TABLE] = w[record + RfcLayout.TABLE];
        out[to + CrossproductKernelLayout.STEP_MODE] = w[record + RfcLayout.MODE];
        out[to + CrossproductKernelLayout.STEP_INPUTS] = kind;
        System.arraycopy(
                w,
                record + RfcLayout.INPUTS,
                out,
                to + CrossproductKernelLayout.STEP_OWN,
                CrossproductKernelLayout.STEP - CrossproductKernelLayout.STEP_OWN);
        return true;
    }

    private boolean axis(int record, int to) {
        int form = w[record + CrossproductLayout.FORM];
        int place = w[record + CrossproductLayout.AT];
        boolean levels = form == CrossproductLayout.LEVELS;
        boolean ranges = form == CrossproductLayout.RANGES;
        int rowWords = w[record + CrossproductLayout.ROW_WORDS];
        out[to + CrossproductKernelLayout.AXIS_LEVELS] =
                ranges ? CrossproductKernelLayout.RANGES : 0;
        out[to + CrossproductKernelLayout.AXIS_ROOT] = levels ? 0 : place;
        out[to + CrossproductKernelLayout.AXIS_POSITION] = w[record + CrossproductLayout.POSITION];
        out[to + CrossproductKernelLayout.AXIS_PARENTS] = w[record + CrossproductLayout.PARENTS];
        out[to + CrossproductKernelLayout.AXIS_ROWS] = w[record + CrossproductLayout.ROWS];
        out[to + CrossproductKernelLayout.AXIS_ROW_WORDS] = rowWords;
        return rowWords <= CrossproductKernelLayout.MOST_ROW_WORDS
                && (!levels || levels(to, place));
    }

    /** Copies the chain of tables that ends with a step, first level first. */
    private boolean levels(int to, int last) {
        int[] chain = new int[CrossproductKernelLayout.LEVELS];
        int n = 0;
        for (int s = last; ; s = w[step(s) + RfcLayout.ABOVE] - 1) {
            if (n == chain.length) {
                return false;
            }
            chain[n++] = s;
            if (w[step(s) + RfcLayout.ABOVE] == 0) {
                break;
            }
        }
        out[to + CrossproductKernelLayout.AXIS_LEVELS] = n;
        for (int l = 0; l < n; l++) {
            int record = step(chain[n - 1 - l]);
            int at = to + CrossproductKernelLayout.AXIS_LEVEL + l * CrossproductKernelLayout.LEVEL;
            out[at + CrossproductKernelLayout.LEVEL_TABLE] = w[record + RfcLayout.TABLE];
            out[at + CrossproductKernelLayout.LEVEL_MODE] = w[record + RfcLayout.MODE];
            out[at + CrossproductKernelLayout.LEVEL_SHIFT] = w[record + RfcLayout.SHIFT];
            out[at + CrossproductKernelLayout.LEVEL_MASK] = w[record + RfcLayout.MASK];
            out[at + CrossproductKernelLayout.LEVEL_BITS] = w[record + RfcLayout.LOWER_BITS];
            if (w[record + RfcLayout.MODE] == RfcLayout.BITMAP) {
                return false;
            }
        }
        return true;
    }
}
