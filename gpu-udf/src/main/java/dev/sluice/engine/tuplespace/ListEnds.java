package dev.sluice.engine.tuplespace;

import java.util.Arrays;

/**
 * The last row and the length of long lists of rows, so that a rule that goes to a list's end, as
 * each does where rules come in total order, need not walk along it. Known by the first row of a
 * list; forgotten when a row leaves. Not thread-safe.
 */
final class ListEnds {
    /** Lists of fewer rows are walked along. */
    static final int LONG = 16;

    /** For each first slot the last one + 1, then the length; 0 where they are not known. */
    private int[] ends = {};

    /** The last slot + 1 of the list of a first slot, 0 if it is not known. */
    int last(int first) {
        return 2 * first + 1 < ends.length ? ends[2 * first] : 0;
    }

    /** Rows of the list of a first slot whose last one is known. */
    int length(int first) {
        return ends[2 * first + 1];
    }

    /** Notes the end of a list. */
    void set(int first, int last, int length) {
        if (2 * first + 1 >= ends.length) {
            ends = Arrays.copyOf(ends, Math.max(2 * first + 2, ends.length + (ends.length >> 1)));
        }
        ends[2 * first] = last + 1;
        ends[2 * first + 1] = length;
    }

    /** Forgets the end of the list of a first slot. */
    void forget(int first) {
        if (2 * first + 1 < ends.length) {
            ends[2 * first] = 0;
        }
    }
}
