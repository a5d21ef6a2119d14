package dev.sluice.engine.bloom;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;

/**
 * Searches the tuples of an image in the order of their best ranks, 32 at a time: the filters of
 * all 32 are tested for the whole block before any of their tables is touched. One instance for
 * each thread.
 */
final class BloomSearch {
    /** Tuples whose filters are tested together: the bits of a candidate word. */
    private static final int GROUP = Integer.SIZE;

    private static final ThreadLocal<BloomSearch> OF_THREAD =
            ThreadLocal.withInitial(BloomSearch::new);

    /** For each header of the block the tuples of the group that its filters let through. */
    private final int[] candidates = new int[TupleSearch.BLOCK];

    private BloomSearch() {}

    /** The thread's instance. */
    static BloomSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Searches for a block.
     *
     * @param search started for the block; keeps the best rules found
     * @param w the image
     * @param n headers of the block
     */
    void search(TupleSearch search, int[] w, int n) {
        int order = w[TupleSpaceLayout.ORDER_AT];
        int tuples = w[TupleSpaceLayout.TUPLES_AT];
        int[] bestRank = search.bestRank;
        for (int group = 0; group < tuples; group += GROUP) {
            int groupBest = w[entry(order, group) + TupleSpaceLayout.ORDER_BEST];
            int left = 0;
            for (int i = 0; i < n; i++) {
                left += Branchless.lessThan(groupBest, bestRank[i]);
                candidates[i] = 0;
            }
            if (left == 0) {
                return;
            }
            int in = Math.min(GROUP, tuples - group);
            for (int t = 0; t < in; t++) {
                filter(search, w, w[entry(order, group + t) + TupleSpaceLayout.ORDER_RECORD], t, n);
            }
            for (int i = 0; i < n; i++) {
                for (int bits = candidates[i]; bits != 0; bits &= bits - 1) {
                    int t = group + Integer.numberOfTrailingZeros(bits);
                    if (w[entry(order, t) + TupleSpaceLayout.ORDER_BEST] >= bestRank[i]) {
                        break;
                    }
                    search.probe(w[entry(order, t) + TupleSpaceLayout.ORDER_RECORD], i);
                }
            }
        }
    }

    private static int entry(int order, int tuple) {
        return order + TupleSpaceLayout.ORDER_ENTRY * tuple;
    }

    /** Makes a tuple of the group a candidate of the headers that its filter lets through. */
    private void filter(TupleSearch search, int[] w, int record, int t, int n) {
        int[] digests = search.digests(record, TupleSpaceLayout.FILTER_SEED);
        int filter = w[record + TupleSpaceLayout.FILTER];
        int bits = w[record + TupleSpaceLayout.FILTER_BITS];
        for (int i = 0; i < n; i++) {
            int a = TupleSpaceLayout.filterBit(digests[i], 0, bits);
            int b = TupleSpaceLayout.filterBit(digests[i], 1, bits);
            int both = w[filter + (a >>> 5)] >>> a & w[filter + (b >>> 5)] >>> b & 1;
            candidates[i] |= both << t;
        }
    }
}
