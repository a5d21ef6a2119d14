package dev.sluice.engine.crossproduct;

import dev.sluice.engine.lookup.Branchless;

/** Finds the cells of a group for a block of headers. Thread-safe. */
final class CellSearch {
    private final int[] words;

    /** {@link CrossproductLayout#CELL_BITS}. */
    private final int cellBits;

    CellSearch(int[] words, int cellBits) {
        this.words = words;
        this.cellBits = cellBits;
    }

    /**
     * Finds the cells of a group, and takes headers off the list of those alive for which the group
     * has no better rule: groups are in the order of their best rules, so that later groups have
     * none either.
     *
     * @param alive number of headers alive
     * @param n headers of the block
     * @return how many headers have a cell
     */
    int find(CellGroup group, int alive, int n, CrossproductScratch scratch) {
        return switch (group.form()) {
            case CrossproductLayout.DIRECT -> direct(group, alive, n, scratch);
            case CrossproductLayout.MAPPED -> mapped(group, alive, n, scratch);
            case CrossproductLayout.HASHED -> hashed(group, alive, n, scratch);
            default -> listed(group, alive, n, scratch);
        };
    }

    /** Reads the cells of a plain table. */
    private int direct(CellGroup group, int alive, int n, CrossproductScratch scratch) {
        int cells = group.cells();
        int width = group.width();
        int[] groupSource = scratch.groupSource;
        int[] groupDestination = scratch.groupDestination;
        int[] place = scratch.moreHeader;
        group.numbers(n, scratch);
        for (int i = 0; i < n; i++) {
            place[i] = cells + groupSource[i] * width + groupDestination[i];
        }
        return read(group, alive, scratch);
    }

    /** Reads the cells of the pairs whose bit is set in a map; their places are counted there. */
    private int mapped(CellGroup group, int alive, int n, CrossproductScratch scratch) {
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
        return read(group, alive, scratch);
    }

    /** Reads a cell for each header alive, at the places in {@code moreHeader}; 0 is none. */
    private int read(CellGroup group, int alive, CrossproductScratch scratch) {
        int[] w = words;
        int bestOfGroup = group.best();
        int[] place = scratch.moreHeader;
        int[] best = scratch.best;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] still = scratch.alive;
        int left = 0;
        int found = 0;
        for (int k = 0; k < alive; k++) {
            int i = still[k];
            int cell = w[place[i]];
            int open = Branchless.lessThan(bestOfGroup, best[i]);
            still[left] = i;
            left += open;
            header[found] = i;
            at[found] = cell;
            found += Branchless.isPositive(cell) & open;
        }
        scratch.left = left;
        return found;
    }

    /**
     * Collects the headers alive that have both prefixes in the group, and these prefixes' numbers.
     */
    private int prefixes(CellGroup group, int alive, int n, CrossproductScratch scratch) {
        group.numbers(n, scratch);
        int bestOfGroup = group.best();
        int[] best = scratch.best;
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
            int open = Branchless.lessThan(bestOfGroup, best[i]);
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

    /**
     * Finds cells in the lists of one address's prefixes: compares the first cell of every list
     * with the other address's number, then the second cells of those left, and so on.
     */
    private int listed(CellGroup group, int alive, int n, CrossproductScratch scratch) {
        int[] w = words;
        boolean bySource = group.form() == CrossproductLayout.LISTED_BY_SOURCE;
        int[] start = bySource ? scratch.groupSource : scratch.groupDestination;
        int[] other = bySource ? scratch.groupDestination : scratch.groupSource;
        int[] header = scratch.header;
        int[] at = scratch.at;
        int[] moreHeader = scratch.moreHeader;
        int pending = prefixes(group, alive, n, scratch);
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

    /** Reads the one cell that a pair of prefixes may have; a key tells whether it is theirs. */
    private int hashed(CellGroup group, int alive, int n, CrossproductScratch scratch) {
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
        int pending = prefixes(group, alive, n, scratch);
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
