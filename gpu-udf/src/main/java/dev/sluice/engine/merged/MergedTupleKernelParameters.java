package dev.sluice.engine.merged;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;

/**
 * The tuples of an image in one parameter of the GPU's fast kernel, which costs it no loads ({@link
 * MergedTupleKernelLayout}).
 */
public final class MergedTupleKernelParameters {
    /** Tuples that the parameter has room for, at most. */
    private static final int MOST_TUPLES =
            (MergedTupleKernelLayout.WORDS - MergedTupleKernelLayout.HEAD)
                            / MergedTupleKernelLayout.RECORD
                    & -MergedTupleKernelLayout.TOGETHER;

    private static final int[] NONE = {};

    private MergedTupleKernelParameters() {}

    /** Words that the kernel notes for a header. */
    public static int noted(int tuples) {
        return Math.max(
                MergedTupleKernelLayout.TOGETHER,
                Math.min(padded(tuples), MergedTupleKernelLayout.MOST_NOTED));
    }

    private static int padded(int tuples) {
        return tuples + MergedTupleKernelLayout.TOGETHER - 1 & -MergedTupleKernelLayout.TOGETHER;
    }

    /** The parameter, empty where the image has no lists or more tuples than it has room for. */
    public static int[] of(Image image) {
        int[] w = image.words();
        int[] out = new int[MergedTupleKernelLayout.WORDS];
        int tuples = w[TupleSpaceLayout.TUPLES_AT];
        int padded = padded(tuples);
        int entries = w[TupleSpaceLayout.EXTRA_AT];
        if (padded > MOST_TUPLES || entries == 0) {
            return NONE;
        }
        out[MergedTupleKernelLayout.TUPLES] = padded;
        out[MergedTupleKernelLayout.ENTRIES] = entries;
        out[MergedTupleKernelLayout.GROUP] = noted(tuples);
        int pairs = MergedTupleKernelLayout.HEAD + MergedTupleKernelLayout.RECORD * padded;
        for (int t = 0; t < padded; t++) {
            int at = MergedTupleKernelLayout.HEAD + MergedTupleKernelLayout.RECORD * t;
            if (t >= tuples) { // the words before the entries are a table without lists
                out[at + MergedTupleKernelLayout.BEST] = -1;
                out[at + MergedTupleKernelLayout.TABLE] = entries - KeyListLayout.ENTRY;
                out[at + MergedTupleKernelLayout.SHIFT] = 31;
                continue;
            }
            int order = w[TupleSpaceLayout.ORDER_AT] + TupleSpaceLayout.ORDER_ENTRY * t;
            int record = w[order + TupleSpaceLayout.ORDER_RECORD];
            int lists = w[record + TupleSpaceLayout.LISTS];
            out[at + MergedTupleKernelLayout.BEST] = w[order + TupleSpaceLayout.ORDER_BEST];
            out[at + MergedTupleKernelLayout.TABLE] = lists + KeyListLayout.FIRST_WORD;
            out[at + MergedTupleKernelLayout.SHIFT] = 32 - w[lists + KeyListLayout.TABLE_BITS];
            int count = w[record + TupleSpaceLayout.TERMS];
            int more = Math.max(0, count - MergedTupleKernelLayout.PAIRS);
            int moreWords = TupleSpaceLayout.TERM * more;
            if (pairs + moreWords > MergedTupleKernelLayout.WORDS) {
                return NONE;
            }
            int first = record + TupleSpaceLayout.FIRST_TERM;
            System.arraycopy(
                    w,
                    first,
                    out,
                    at + MergedTupleKernelLayout.FIRST_POSITION,
                    TupleSpaceLayout.TERM * (count - more));
            out[at + MergedTupleKernelLayout.MORE] =
                    more << MergedTupleKernelLayout.MORE_COUNT_AT | pairs;
            int behind = first + TupleSpaceLayout.TERM * MergedTupleKernelLayout.PAIRS;
            System.arraycopy(w, behind, out, pairs, moreWords);
            pairs += moreWords;
        }
        return out;
    }
}
