package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductScratch;

/** Search of a group's cells for a block of headers, in one form of cells. Thread-safe. */
public interface CellSearch {
    /**
     * Finds the cells, and takes headers off the list of those alive for which the group has no
     * better rule: groups are in the order of their best rules, so that later groups have none
     * either.
     *
     * @param alive number of headers alive
     * @param n headers of the block
     * @return how many headers have a cell
     */
    int find(int alive, int n, CrossproductScratch scratch);
}
