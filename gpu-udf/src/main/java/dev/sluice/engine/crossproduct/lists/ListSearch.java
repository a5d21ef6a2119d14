package dev.sluice.engine.crossproduct.lists;

import dev.sluice.engine.crossproduct.model.CrossproductScratch;

/**
 * Search of the lists that cells name for a block of headers, in one form of lists. Thread-safe.
 */
public interface ListSearch {
    /**
     * Begins with a block.
     *
     * @param h flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param from first header of the block
     * @param n headers of the block
     * @param classes each header's class
     */
    default void begin(
            int[] h, int capacity, int from, int n, int[] classes, CrossproductScratch scratch) {}

    /**
     * Lowers each header's best position so far to that of the best rule of its list.
     *
     * @param found number of lists; their headers and cells are in {@link
     *     CrossproductScratch#header} and {@link CrossproductScratch#at}, which this overwrites
     * @param first whether no lists were searched for these headers before
     * @param classes each header's class
     */
    void search(int found, boolean first, int[] classes, CrossproductScratch scratch);
}
