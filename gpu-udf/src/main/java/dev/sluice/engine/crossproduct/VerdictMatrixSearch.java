package dev.sluice.engine.crossproduct;

import dev.sluice.engine.crossproduct.cells.CellGroup;
import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;

/** Look-up in a {@link VerdictMatrix}. Thread-safe. */
record VerdictMatrixSearch(int[] words, CellGroup group) {
    /** Reads the rule of each header's prefixes and class into {@link CrossproductScratch#at}. */
    void read(int[] classes, int n, CrossproductScratch scratch) {
        int[] w = words;
        int first = group.cells();
        int width = group.width();
        int pieces = group.places();
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] at = scratch.at;
        group.numbers(n, scratch);
        for (int i = 0; i < n; i++) {
            at[i] =
                    first
                            + (groupSource[i] * width + groupDestination[i]) * pieces
                            + (classes[i] >>> CrossproductLayout.PIECE_BITS);
        }
        for (int i = 0; i < n; i++) {
            at[i] = w[at[i]] + (classes[i] & CrossproductLayout.PIECE - 1);
        }
        for (int i = 0; i < n; i++) {
            at[i] = w[at[i]];
        }
    }
}
