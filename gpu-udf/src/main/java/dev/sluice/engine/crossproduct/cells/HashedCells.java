package dev.sluice.engine.crossproduct.cells;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.crossproduct.model.CrossproductScratch;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Branchless;

/**
 * Cells in a hash table without collisions, with their keys.
 *
 * @param cellBits {@link CrossproductLayout#CELL_BITS}
 */
record HashedCells(int[] words, CellGroup group, int cellBits) implements CellSearch {
    /** Finds places, and writes their seeds, the cells and the group's record. */
    static void write(
            WordWriter out,
            int record,
            SortedCells cells,
            int[] numbers,
            CellWords lists,
            BuildMeter meter) {
        int[] majors = new int[cells.count()];
        int[] minors = new int[cells.count()];
        cells.forEach(
                (c, major, minor, last) -> {
                    majors[c] = major;
                    minors[c] = minor;
                });
        CellPlaces places = new CellPlaces(majors, minors, meter);
        int seeds = out.reserve((places.seeds.length + 1) / 2);
        for (int b = 0; b < places.seeds.length; b++) {
            int at = seeds + (b >> 1);
            out.set(at, out.get(at) | places.seeds[b] << (b << 4 & 16));
        }
        out.set(record + CrossproductLayout.SEEDS, seeds);
        out.set(record + CrossproductLayout.BUCKET_SHIFT, places.shift);
        out.set(record + CrossproductLayout.PLACES, places.places);
        int width = 32 - Integer.numberOfLeadingZeros(cells.columns() - 1);
        long size = (long) CrossproductLayout.KEYED_CELL * places.places;
        int table = CellGroup.reserve(out, record, size, width);
        for (int c = 0; c < majors.length; c++) {
            int at = table + places.placeOf[c] * CrossproductLayout.KEYED_CELL;
            long key = (long) majors[c] << width | minors[c];
            out.set(at + CrossproductLayout.CELL_KEY, (int) key);
            lists.cell(at + CrossproductLayout.CELL_NAMED, numbers[c], (int) (key >>> 32));
        }
    }

    /** Reads the one cell that a pair of prefixes may have; a key tells whether it is theirs. */
    @Override
    public int find(int alive, int n, CrossproductScratch scratch) {
        int[] w = words;
        int cells = group.cells();
        int width = group.width();
        int seeds = group.seeds();
        int shift = group.bucketShift();
        int places = group.places();
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] place = scratch.moreHeader;
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int pending = group.prefixes(alive, n, scratch);
        for (int k = 0; k < pending; k++) {
            int s = groupSource[k];
            int d = groupDestination[k];
            int bucket = CrossproductLayout.bucket(s, d, shift);
            int seed = w[seeds + (bucket >> 1)] >>> (bucket << 4) & 0xffff;
            place[k] =
                    cells
                            + CrossproductLayout.KEYED_CELL
                                    * CrossproductLayout.place(s, d, seed, places);
        }
        int bits = cellBits;
        int found = 0;
        for (int k = 0; k < pending; k++) {
            int s = groupSource[k];
            int lower = s << width | groupDestination[k];
            int upper = (int) ((long) s << width >>> 32);
            int entry = w[place[k] + CrossproductLayout.CELL_NAMED];
            int differs =
                    w[place[k] + CrossproductLayout.CELL_KEY] ^ lower | entry >>> bits ^ upper;
            header[found] = header[k];
            at[found] = entry & (1 << bits) - 1;
            found += 1 - Branchless.isNotZero(differs);
        }
        return found;
    }
}
