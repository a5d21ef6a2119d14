package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.WordWriter;

/** Cells as a plain table: one for each pair of prefixes, 0 where a pair has none. */
record DirectCells(int[] words, CellGroup group) implements CellSearch {
    /** Writes the table and the group's record. */
    static void write(
            WordWriter out, int record, SortedCells cells, int[] numbers, CellWords lists) {
        int columns = cells.columns();
        int table =
                CellGroup.reserve(out, record, (cells.prefixes[0].size() + 1L) * columns, columns);
        cells.forEach(
                (c, major, minor, last) ->
                        lists.cell(table + major * columns + minor, numbers[c], 0));
    }

    @Override
    public int find(int alive, int n, CrossproductScratch scratch) {
        int cells = group.cells();
        int width = group.width();
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] place = scratch.moreHeader;
        group.numbers(n, scratch);
        for (int i = 0; i < n; i++) {
            place[i] = cells + groupSource[i] * width + groupDestination[i];
        }
        return group.read(words, alive, scratch);
    }
}
