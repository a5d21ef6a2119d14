package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Branchless;

/**
 * Cells in a list for each prefix of one address, with the number of the other address's prefix.
 */
record ListedCells(int[] words, CellGroup group) implements CellSearch {
    /** Writes the lists and the group's record. */
    static void write(
            WordWriter out, int record, SortedCells cells, int[] numbers, CellWords lists) {
        long size = (long) CrossproductLayout.KEYED_CELL * cells.count();
        int table = CellGroup.reserve(out, record, size, cells.columns());
        cells.forEach(
                (c, major, minor, last) -> {
                    int at = table + c * CrossproductLayout.KEYED_CELL;
                    int mark = last ? CrossproductLayout.LAST : 0;
                    out.set(at + CrossproductLayout.CELL_KEY, minor | mark);
                    lists.cell(at + CrossproductLayout.CELL_NAMED, numbers[c], 0);
                });
    }

    /**
     * Compares the first cell of every list with the other address's number, then the second cells
     * of those left, and so on.
     */
    @Override
    public int find(int alive, int n, CrossproductScratch scratch) {
        int[] w = words;
        boolean bySource = group.form() == CrossproductLayout.LISTED_BY_SOURCE;
        int[] start = bySource ? scratch.groupSource : scratch.groupDestination;
        int[] other = bySource ? scratch.groupDestination : scratch.groupSource;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] moreHeader = scratch.moreHeader;
        int pending = group.prefixes(alive, n, scratch);
        int before = group.cells() - CrossproductLayout.KEYED_CELL;
        for (int k = 0; k < pending; k++) {
            moreHeader[k] = header[k];
            start[k] = before + CrossproductLayout.KEYED_CELL * start[k];
        }
        int more = pending;
        int found = 0;
        while (more > 0) {
            int left = 0;
            for (int k = 0; k < more; k++) {
                int i = moreHeader[k];
                int cell = start[k];
                int key = w[cell + CrossproductLayout.CELL_KEY];
                int differs = key & CrossproductLayout.UNMARKED ^ other[k];
                int miss = Branchless.isPositive(differs);
                moreHeader[left] = i;
                start[left] = cell + CrossproductLayout.KEYED_CELL;
                other[left] = other[k];
                left += miss & Branchless.isNotNegative(key);
                header[found] = i;
                at[found] = w[cell + CrossproductLayout.CELL_NAMED];
                found += 1 - miss;
            }
            more = left;
        }
        return found;
    }
}
