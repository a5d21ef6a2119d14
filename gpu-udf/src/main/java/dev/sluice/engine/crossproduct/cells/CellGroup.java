package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Branchless;

/**
 * A group's record in an image, with the names of {@link CrossproductLayout}.
 *
 * @param seeds seeds of a hashed group; map of a mapped one
 * @param places places of a hashed group; {@link CrossproductLayout#PIECES} of rows of verdicts
 */
public record CellGroup(
        int cells,
        int form,
        int best,
        int width,
        int seeds,
        int bucketShift,
        int places,
        Field source,
        Field destination) {
    /** Bits of a row that hold the number of the group's prefix. */
    public record Field(int word, int shift, int mask) {
        private static Field at(int[] words, int at) {
            return new Field(
                    words[at + CrossproductLayout.FIELD_WORD],
                    words[at + CrossproductLayout.FIELD_SHIFT],
                    words[at + CrossproductLayout.FIELD_MASK]);
        }

        private void read(int[][] rows, int n, int[] numbers) {
            int[] words = rows[word];
            for (int i = 0; i < n; i++) {
                numbers[i] = words[i] >>> shift & mask;
            }
        }
    }

    /** Cells start at multiples of so many words, the most that one load of a GPU reads. */
    static final int VECTOR = 4;

    /** Reserves the words of cells, whose offset it returns, and notes them in a group's record. */
    static int reserve(WordWriter out, int record, long size, int width) {
        int table = out.reserveAligned(size, VECTOR);
        out.set(record + CrossproductLayout.CELLS, table);
        out.set(record + CrossproductLayout.WIDTH, width);
        return table;
    }

    /** The record at an offset. */
    public static CellGroup at(int[] words, int record) {
        return new CellGroup(
                words[record + CrossproductLayout.CELLS],
                words[record + CrossproductLayout.GROUP_FORM],
                words[record + CrossproductLayout.BEST],
                words[record + CrossproductLayout.WIDTH],
                words[record + CrossproductLayout.SEEDS],
                words[record + CrossproductLayout.BUCKET_SHIFT],
                words[record + CrossproductLayout.PLACES],
                Field.at(words, record + CrossproductLayout.FIELDS),
                Field.at(words, record + CrossproductLayout.FIELDS + CrossproductLayout.FIELD));
    }

    /** The numbers of both prefixes in the group, for all headers of the block. */
    public void numbers(int n, CrossproductScratch scratch) {
        source.read(scratch.source, n, scratch.groupSource);
        destination.read(scratch.destination, n, scratch.groupDestination);
    }

    /** Reads a cell for each header alive, at the places in {@code moreHeader}; 0 is none. */
    int read(int[] w, int alive, CrossproductScratch scratch) {
        int bestOfGroup = best;
        int[] place = scratch.moreHeader;
        int[] verdict = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] still = scratch.alive;
        int left = 0;
        int cells = 0;
        for (int k = 0; k < alive; k++) {
            int i = still[k];
            int cell = w[place[i]];
            int open = Branchless.lessThan(bestOfGroup, verdict[i]);
            still[left] = i;
            left += open;
            header[cells] = i;
            at[cells] = cell;
            cells += Branchless.isPositive(cell) & open;
        }
        scratch.left = left;
        return cells;
    }

    /**
     * Collects the headers alive that have both prefixes in the group, and these prefixes' numbers.
     */
    int prefixes(int alive, int n, CrossproductScratch scratch) {
        numbers(n, scratch);
        int bestOfGroup = best;
        int[] verdict = scratch.best;
        int[] header = scratch.header;
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] still = scratch.alive;
        int left = 0;
        int pending = 0;
        for (int k = 0; k < alive; k++) {
            int i = still[k];
            int s = groupSource[i];
            int d = groupDestination[i];
            int open = Branchless.lessThan(bestOfGroup, verdict[i]);
            still[left] = i;
            left += open;
            header[pending] = i;
            groupSource[pending] = s;
            groupDestination[pending] = d;
            pending += Branchless.isNegative(-s & -d) & open;
        }
        scratch.left = left;
        return pending;
    }
}
