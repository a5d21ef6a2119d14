package dev.sluice.policy.questions;

import java.util.Arrays;

/** Sets of coordinates of a dimension, as runs: first and last of each, ascending, apart. */
final class Coordinates {
    private Coordinates() {}

    /** The coordinates from a first to a last one. */
    static int[] within(int[] runs, int first, int last) {
        int from = at(runs, first);
        int to = from;
        while (to < runs.length && runs[to] <= last) {
            to += 2;
        }
        int[] within = Arrays.copyOfRange(runs, from, to);
        if (from < to) {
            within[0] = Math.max(within[0], first);
            within[within.length - 1] = Math.min(within[within.length - 1], last);
        }
        return within;
    }

    /** The coordinates below a first and above a last one. */
    static int[] without(int[] runs, int first, int last) {
        int[] without = new int[runs.length + 2];
        int n = 0;
        for (int i = 0; i < runs.length; i += 2) {
            if (runs[i] < first) {
                without[n++] = runs[i];
                without[n++] = Math.min(runs[i + 1], first - 1);
            }
            if (runs[i + 1] > last) {
                without[n++] = Math.max(runs[i], last + 1);
                without[n++] = runs[i + 1];
            }
        }
        return Arrays.copyOf(without, n);
    }

    /** Returns whether there are coordinates from a first to a last one. */
    static boolean meet(int[] runs, int first, int last) {
        int at = at(runs, first);
        return at < runs.length && runs[at] <= last;
    }

    /** Place of the first run that ends at a coordinate or above it. */
    private static int at(int[] runs, int first) {
        int low = 0;
        int high = runs.length / 2;
        while (low < high) {
            int middle = low + high >>> 1;
            if (runs[2 * middle + 1] < first) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return 2 * low;
    }
}
