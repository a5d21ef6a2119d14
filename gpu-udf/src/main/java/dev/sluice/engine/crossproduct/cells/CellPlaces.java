package dev.sluice.engine.crossproduct.cells;

import static dev.sluice.engine.crossproduct.model.CrossproductLimits.refused;

import dev.sluice.engine.crossproduct.model.CrossproductLayout;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Places of a group's cells in a hash table without collisions: one hash of a cell's two numbers
 * names a bucket, the bucket's seed changes another hash so that all cells of the bucket fall on
 * free places (D. Belazzougui, F. Botelho, M. Dietzfelbinger, "Hash, displace, and compress", ESA
 * 2009, section 3). So a look-up reads a seed and one cell. Immutable.
 */
final class CellPlaces {
    /** Cells a bucket at most, on average. */
    private static final int CELLS_A_BUCKET = 4;

    /** Places for so many cells: a table that is fuller takes many more tries. */
    private static final double LOAD = 0.85;

    private static final int SEEDS = 1 << 16;

    /** Number of places. */
    final int places;

    /** Shift of a hash that names a bucket. */
    final int shift;

    /** Each bucket's seed. */
    final char[] seeds;

    /** Each cell's place. */
    final int[] placeOf;

    /**
     * Finds places.
     *
     * @param first numbers of the cells: of the source's prefixes, and
     * @param second of the destination's
     * @param meter counts tries
     * @throws UnsupportedRulesException if there are none, which no rule set of the tests reaches
     */
    CellPlaces(int[] first, int[] second, BuildMeter meter) {
        int n = first.length;
        places = Math.max(2, (int) (n / LOAD));
        int bits = 32 - Integer.numberOfLeadingZeros(Math.max(1, (n - 1) / CELLS_A_BUCKET));
        shift = 32 - bits;
        seeds = new char[1 << bits];
        placeOf = new int[n];
        int[] start = new int[seeds.length + 1];
        int[] bucketOf = new int[n];
        for (int i = 0; i < n; i++) {
            bucketOf[i] = CrossproductLayout.bucket(first[i], second[i], shift);
            start[bucketOf[i] + 1]++;
        }
        int largest = 0;
        for (int b = 0; b < seeds.length; b++) {
            largest = Math.max(largest, start[b + 1]);
            start[b + 1] += start[b];
        }
        int[] cells = new int[n];
        int[] next = Arrays.copyOf(start, seeds.length);
        for (int i = 0; i < n; i++) {
            cells[next[bucketOf[i]]++] = i;
        }
        BitSet taken = new BitSet(places);
        // Large buckets first: they want several free places at once.
        for (int size = largest; size > 0; size--) {
            for (int b = 0; b < seeds.length; b++) {
                if (start[b + 1] - start[b] == size) {
                    place(b, cells, start[b], start[b + 1], first, second, taken, meter);
                }
            }
        }
    }

    private void place(
            int bucket,
            int[] cells,
            int from,
            int to,
            int[] first,
            int[] second,
            BitSet taken,
            BuildMeter meter) {
        for (int seed = 0; seed < SEEDS; seed++) {
            int placed = from;
            while (placed < to) {
                int cell = cells[placed];
                int at = CrossproductLayout.place(first[cell], second[cell], seed, places);
                if (taken.get(at)) {
                    break;
                }
                taken.set(at);
                placeOf[cell] = at;
                placed++;
            }
            meter.work(placed - from + 1L);
            if (placed == to) {
                seeds[bucket] = (char) seed;
                return;
            }
            for (int i = from; i < placed; i++) {
                taken.clear(placeOf[cells[i]]);
            }
        }
        throw refused(0, "its address pairs fall together in a hash table");
    }
}
