package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.prefix.PrefixSet;
import dev.sluice.engine.prefix.PrefixSubset;
import java.util.Arrays;

/**
 * Cells of a group in ascending order, before they are written: one for each pair of a source and a
 * destination prefix that lie within the two of a rule, with all such rules in total order.
 * Immutable.
 */
public final class SortedCells {
    /** Lower bits of the numbers in {@link #sorted}, which are the rule's position. */
    public static final int POSITION_BITS = 20;

    /** Prefixes of the group: of the source, of the destination. */
    final PrefixSet[] prefixes;

    /** The address whose number counts first. */
    final int major;

    /**
     * For each rule in each of its cells the cell's number, then the rule's position, as one
     * number; ascending, so that a cell's rules follow each other, best first.
     */
    private final long[] sorted;

    /** Different cells. */
    private final int count;

    /** Takes each cell in turn. */
    interface Visitor {
        /**
         * A cell.
         *
         * @param index of the cell in their order
         * @param major number of its prefix of the first address, and
         * @param minor of the second one, from 1 on
         * @param last whether it is the last one of its first prefix
         */
        void cell(int index, int major, int minor, boolean last);
    }

    /**
     * Finds the cells.
     *
     * @param rules positions of the group's rules, ascending
     * @param prefixOf indices of the prefixes of all rules
     * @param subsets the group's prefixes
     * @param entries cells, counted once for each of their rules
     */
    SortedCells(int[] rules, int[][] prefixOf, PrefixSubset[] subsets, int major, int entries) {
        this.prefixes = new PrefixSet[] {subsets[0].set(), subsets[1].set()};
        this.major = major;
        PrefixSet first = prefixes[major];
        PrefixSet second = prefixes[1 - major];
        long columns = columns();
        sorted = new long[entries];
        int n = 0;
        for (int r : rules) {
            int a0 = subsets[major].indexOf(prefixOf[major][r]);
            int b0 = subsets[1 - major].indexOf(prefixOf[1 - major][r]);
            for (int a = a0; a < first.end[a0]; a++) {
                for (int b = b0; b < second.end[b0]; b++) {
                    sorted[n++] = ((a + 1) * columns + b + 1) << POSITION_BITS | r;
                }
            }
        }
        Arrays.sort(sorted);
        int cells = 0;
        for (int i = 0; i < sorted.length; i = endOfCell(i)) {
            cells++;
        }
        count = cells;
    }

    /** Number of cells. */
    public int count() {
        return count;
    }

    /** Number of cells, counted once for each of their rules. */
    public int entries() {
        return sorted.length;
    }

    /** By how much a cell's number grows from a prefix of the first address to the next one. */
    int columns() {
        return prefixes[1 - major].size() + 1;
    }

    /** Entry behind those of the cell that begins with one. */
    public int endOfCell(int from) {
        long cell = sorted[from] >>> POSITION_BITS;
        int to = from;
        while (to < sorted.length && sorted[to] >>> POSITION_BITS == cell) {
            to++;
        }
        return to;
    }

    /** Position of an entry's rule. */
    public int position(int entry) {
        return (int) (sorted[entry] & (1 << POSITION_BITS) - 1);
    }

    /** Number of the prefix of the first address of an entry's cell. */
    private int majorOf(int entry) {
        return (int) ((sorted[entry] >>> POSITION_BITS) / columns());
    }

    /** Visits the cells in their order. */
    void forEach(Visitor visitor) {
        int index = 0;
        for (int i = 0; i < sorted.length; index++) {
            int to = endOfCell(i);
            int first = majorOf(i);
            int second = (int) ((sorted[i] >>> POSITION_BITS) % columns());
            visitor.cell(index, first, second, to == sorted.length || majorOf(to) != first);
            i = to;
        }
    }
}
