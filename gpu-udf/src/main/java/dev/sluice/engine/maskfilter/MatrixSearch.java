package dev.sluice.engine.maskfilter;

import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import java.util.Arrays;

/** Reads the rows of the mask filter and probes the tuples that are left. One for each thread. */
public final class MatrixSearch {
    private static final ThreadLocal<MatrixSearch> OF_THREAD =
            ThreadLocal.withInitial(MatrixSearch::new);

    private final int[] rows = new int[TupleSearch.BLOCK];
    private int[] left = new int[0];

    private MatrixSearch() {}

    /** The thread's instance. */
    public static MatrixSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Searches for a block.
     *
     * @param search started for the block; keeps the best rules found
     * @param w the image
     * @param n headers of the block
     */
    public void search(TupleSearch search, int[] w, int n) {
        int head = w[TupleSpaceLayout.EXTRA_AT];
        int keys = w[head + MaskFilterLayout.KEYS];
        int rowWords = w[head + MaskFilterLayout.ROW_WORDS];
        int rowBits = w[head + MaskFilterLayout.ROW_BITS];
        if (left.length < n * rowWords) {
            left = new int[TupleSearch.BLOCK * rowWords];
        }
        Arrays.fill(left, 0, n * rowWords, -1);
        for (int k = 0; k < keys; k++) {
            int key = w[head + MaskFilterLayout.FIRST_KEY + k];
            rows(search, w, key, n, rowBits);
            and(w, w[key + MaskFilterLayout.TABLE], rowWords, n);
        }
        int byNumber = w[head + MaskFilterLayout.BY_NUMBER];
        int tuples = w[TupleSpaceLayout.TUPLES_AT];
        if (tuples == 0) {
            return;
        }
        for (int i = 0; i < n; i++) {
            for (int word = 0; word < rowWords; word++) {
                for (int bits = left[i * rowWords + word]; bits != 0; bits &= bits - 1) {
                    int record = w[byNumber + 32 * word + Integer.numberOfTrailingZeros(bits)];
                    if (record != 0 && search.canWin(record, i)) {
                        search.probe(record, i);
                    }
                }
            }
        }
    }

    private void rows(TupleSearch search, int[] w, int key, int n, int rowBits) {
        int terms = w[key + MaskFilterLayout.TERMS];
        for (int i = 0; i < n; i++) {
            int digest = 0;
            for (int t = 0; t < terms; t++) {
                int at = key + MaskFilterLayout.FIRST_TERM + TupleSpaceLayout.TERM * t;
                int word = search.word(w[at + TupleSpaceLayout.TERM_POSITION], i);
                digest = TupleSpaceLayout.mix(digest, word & w[at + TupleSpaceLayout.TERM_MASK]);
            }
            rows[i] = TupleSpaceLayout.finish(digest) >>> 32 - rowBits;
        }
    }

    private void and(int[] w, int table, int rowWords, int n) {
        for (int i = 0; i < n; i++) {
            int row = table + rows[i] * rowWords;
            int at = i * rowWords;
            for (int word = 0; word < rowWords; word++) {
                left[at + word] &= w[row + word];
            }
        }
    }
}
