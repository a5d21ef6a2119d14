package dev.sluice.engine.space;

import java.util.Arrays;

/** Reads the rows of the mask filter and probes the classes that are left. One a thread. */
final class MatrixSearch {
    private static final ThreadLocal<MatrixSearch> OF_THREAD =
            ThreadLocal.withInitial(MatrixSearch::new);

    private final int[] rows = new int[ClassSearch.BLOCK];
    private int[] left = new int[0];

    private MatrixSearch() {}

    static MatrixSearch get() {
        return OF_THREAD.get();
    }

    void search(ClassSearch search, int[] w, int n) {
        int head = w[SpaceLayout.EXTRA_AT];
        int keys = w[head + MatrixSpace.KEYS];
        int rowWords = w[head + MatrixSpace.ROW_WORDS];
        int rowBits = w[head + MatrixSpace.ROW_BITS];
        if (left.length < n * rowWords) {
            left = new int[ClassSearch.BLOCK * rowWords];
        }
        Arrays.fill(left, 0, n * rowWords, -1);
        for (int k = 0; k < keys; k++) {
            int key = w[head + MatrixSpace.FIRST_KEY + k];
            rows(search, w, key, n, rowBits);
            and(w, w[key + MatrixSpace.TABLE], rowWords, n);
        }
        int byNumber = w[head + MatrixSpace.BY_NUMBER];
        int classes = w[SpaceLayout.CLASSES_AT];
        if (classes == 0) {
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

    private void rows(ClassSearch search, int[] w, int key, int n, int rowBits) {
        int terms = w[key + MatrixSpace.TERMS];
        for (int i = 0; i < n; i++) {
            int digest = 0;
            for (int t = 0; t < terms; t++) {
                int at = key + MatrixSpace.FIRST_TERM + 2 * t;
                digest = SpaceLayout.mix(digest, search.word(w[at], i) & w[at + 1]);
            }
            rows[i] = SpaceLayout.finish(digest) >>> 32 - rowBits;
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
