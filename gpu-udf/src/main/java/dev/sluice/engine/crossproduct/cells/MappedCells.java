package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.WordWriter;

/**
 * Cells of the pairs whose bit is set in a map, one behind the other. The word before them is what
 * a pair without a cell reads.
 */
record MappedCells(int[] words, CellGroup group) implements CellSearch {
    /** Writes the map, the cells and the group's record. */
    static void write(
            WordWriter out, int record, SortedCells cells, int[] numbers, CellWords lists) {
        int width = (cells.columns() - 1 >>> CrossproductLayout.MAP_SHIFT) + 1;
        int entries = (cells.prefixes[0].size() + 1) * width;
        int map =
                out.reserveAligned((long) CrossproductLayout.MAP_ENTRY * entries, CellGroup.VECTOR);
        out.set(record + CrossproductLayout.MAP, map);
        int table = CellGroup.reserve(out, record, 1L + cells.count(), width);
        cells.forEach(
                (c, major, minor, last) -> {
                    int entry = major * width + (minor >>> CrossproductLayout.MAP_SHIFT);
                    int at = map + entry * CrossproductLayout.MAP_ENTRY;
                    int bits = out.get(at + CrossproductLayout.MAP_BITS);
                    if (bits == 0) {
                        out.set(at + CrossproductLayout.MAP_FIRST, c + 1);
                    }
                    out.set(at + CrossproductLayout.MAP_BITS, bits | 1 << minor);
                    lists.cell(table + 1 + c, numbers[c], 0);
                });
    }

    /** Counts the pairs' places in the map. */
    @Override
    public int find(int alive, int n, CrossproductScratch scratch) {
        int[] w = words;
        int map = group.seeds();
        int cells = group.cells();
        int width = group.width();
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] place = scratch.moreHeader;
        group.numbers(n, scratch);
        for (int i = 0; i < n; i++) {
            place[i] =
                    map
                            + CrossproductLayout.MAP_ENTRY
                                    * (groupSource[i] * width
                                            + (groupDestination[i]
                                                    >>> CrossproductLayout.MAP_SHIFT));
        }
        for (int i = 0; i < n; i++) {
            int bits = w[place[i] + CrossproductLayout.MAP_BITS];
            int first = w[place[i] + CrossproductLayout.MAP_FIRST];
            int number = groupDestination[i];
            int cell = first + Integer.bitCount(bits & (1 << number) - 1);
            place[i] = cells + (cell & -(bits >>> number & 1));
        }
        return group.read(w, alive, scratch);
    }
}
