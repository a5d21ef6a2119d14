package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import java.util.Arrays;

/**
 * The tuples' hash tables (R. Pagh, F. Rodler, "Cuckoo hashing", 2004): a table has three subtables
 * of equal size, and a key's digest names one cell in each. A cell is a pair (digest, first slot of
 * the key + 1). A new key that finds its three cells taken pushes another key out of one of them,
 * which looks for a cell in its turn; after {@link #MOST_KICKS} such moves all keys of the tuple
 * are placed anew under other hash constants. Keys that find no cell even then go to the tuple's
 * stash, a short list of pairs that every look-up reads. Not thread-safe.
 */
final class CuckooTables {
    /** Keys that an insertion moves at most. */
    private static final int MOST_KICKS = 500;

    private static final int CELL = TupleSpaceLayout.CELL;
    private static final int CELL_DIGEST = TupleSpaceLayout.CELL_DIGEST;
    private static final int CELL_FIRST = TupleSpaceLayout.CELL_FIRST;

    /** Under this load tables are meant to have room, and grow by more. */
    private static final double ROOMY_LOAD = 0.7;

    private static final double ROOMY_GROWTH = 1.5;
    private static final double DENSE_GROWTH = 1.12;

    private final Arena arena;
    private final RuleRows rows;
    private final double load;
    private final int rehashes;

    /** State of the choice which of three keys is pushed out. */
    private int random = 1;

    /** The pair that {@link #place} looks for a cell for. */
    private int homelessDigest;

    private int homelessHead;

    /**
     * No tables yet.
     *
     * @param rows the rules whose keys the tables have
     * @param load keys a cell at which a table grows
     * @param rehashes other hash constants that are tried before keys go to the stash; 0: a table
     *     keeps its first ones
     */
    CuckooTables(RuleRows rows, double load, int rehashes) {
        this.arena = rows.arena();
        this.rows = rows;
        this.load = load;
        this.rehashes = rehashes;
    }

    /** Gives a new tuple hash constants and the smallest table. */
    void open(Tuple tuple) {
        chooseConstants(tuple);
        allocateCells(tuple, (int) Math.ceil(1 / (TupleSpaceLayout.SUBTABLES * load)));
    }

    /** Gives a tuple's cells and stash back. */
    void close(Tuple tuple) {
        int[] w = arena.words();
        arena.release(
                w[tuple.record + TupleSpaceLayout.CELLS],
                cellWords(w[tuple.record + TupleSpaceLayout.DEPTH]));
        if (w[tuple.record + TupleSpaceLayout.STASH] != 0) {
            arena.release(
                    w[tuple.record + TupleSpaceLayout.STASH],
                    (long) CELL * w[tuple.record + TupleSpaceLayout.STASHED]);
        }
    }

    /** Offset of the pair of a slot's key, 0 if the tuple lacks the key. */
    int find(Tuple tuple, int digest, int slot) {
        int[] w = arena.words();
        for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
            int cell = cellAt(tuple, s, digest);
            if (w[cell + CELL_DIGEST] == digest
                    && w[cell + CELL_FIRST] != 0
                    && rows.sameKey(tuple.mask, slot, w[cell + CELL_FIRST] - 1)) {
                return cell;
            }
        }
        int stash = w[tuple.record + TupleSpaceLayout.STASH];
        for (int k = w[tuple.record + TupleSpaceLayout.STASHED] - 1; k >= 0; k--) {
            int pair = stash + CELL * k;
            if (w[pair + CELL_DIGEST] == digest
                    && rows.sameKey(tuple.mask, slot, w[pair + CELL_FIRST] - 1)) {
                return pair;
            }
        }
        return 0;
    }

    /**
     * Adds a key that the tuple lacks, but that {@link Tuple#keys} counts already.
     *
     * @return whether the tuple got other hash constants
     */
    boolean insert(Tuple tuple, int digest, int slot) {
        homelessDigest = digest;
        homelessHead = slot + 1;
        int depth = arena.words()[tuple.record + TupleSpaceLayout.DEPTH];
        long cells = (long) TupleSpaceLayout.SUBTABLES * depth;
        if (tuple.keys > load * cells || !place(tuple)) {
            rehash(tuple);
            return true;
        }
        return false;
    }

    /** Removes a key by the offset of its pair. */
    void remove(Tuple tuple, int pair) {
        int[] w = arena.words();
        int stash = w[tuple.record + TupleSpaceLayout.STASH];
        int stashed = w[tuple.record + TupleSpaceLayout.STASHED];
        if (stash != 0 && pair >= stash && pair < stash + CELL * stashed) {
            int last = stash + CELL * (stashed - 1);
            set(pair, w[last + CELL_DIGEST], w[last + CELL_FIRST]);
            resizeStash(tuple, stashed - 1);
        } else {
            arena.set(pair + CELL_DIGEST, 0);
        }
    }

    /** Offsets of the pairs of all keys that are in a cell or in the stash. */
    int[] pairs(Tuple tuple) {
        int[] w = arena.words();
        int[] pairs = new int[tuple.keys];
        int n = 0;
        int cells = w[tuple.record + TupleSpaceLayout.CELLS];
        int count = TupleSpaceLayout.SUBTABLES * w[tuple.record + TupleSpaceLayout.DEPTH];
        for (int c = 0; c < count; c++) {
            if (w[cells + CELL * c + CELL_FIRST] != 0) {
                pairs[n++] = cells + CELL * c;
            }
        }
        int stash = w[tuple.record + TupleSpaceLayout.STASH];
        for (int k = 0; k < stashed(tuple); k++) {
            pairs[n++] = stash + CELL * k;
        }
        return Arrays.copyOf(pairs, n);
    }

    /** Keys in a tuple's stash. */
    int stashed(Tuple tuple) {
        return arena.words()[tuple.record + TupleSpaceLayout.STASHED];
    }

    /** Gives a tuple constants and seeds that follow from how often it was given some. */
    private void chooseConstants(Tuple tuple) {
        // SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
        // generators", 2014).
        long state = (tuple.generation++ + 1L) * 0x9e3779b97f4a7c15L;
        for (int k = 0; k < 8; k++) {
            long z = state += 0x9e3779b97f4a7c15L;
            z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
            z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
            int value = (int) (z ^ z >>> 31);
            if (k == 6) {
                arena.set(tuple.record + TupleSpaceLayout.SEED, value);
            } else if (k == 7) {
                arena.set(tuple.record + TupleSpaceLayout.FILTER_SEED, value);
            } else {
                arena.set(
                        tuple.record + TupleSpaceLayout.CONSTANTS + k,
                        (k & 1) == 0 ? value | 1 : value);
            }
        }
    }

    private static long cellWords(int depth) {
        return (long) CELL * TupleSpaceLayout.SUBTABLES * depth;
    }

    private void allocateCells(Tuple tuple, int depth) {
        int cells = arena.allocate(cellWords(depth));
        arena.set(tuple.record + TupleSpaceLayout.CELLS, cells);
        arena.set(tuple.record + TupleSpaceLayout.DEPTH, depth);
    }

    private int cellAt(Tuple tuple, int subtable, int digest) {
        int[] w = arena.words();
        int depth = w[tuple.record + TupleSpaceLayout.DEPTH];
        int constants =
                tuple.record
                        + TupleSpaceLayout.CONSTANTS
                        + TupleSpaceLayout.CONSTANT_PAIR * subtable;
        int cell =
                TupleSpaceLayout.cell(
                        w[constants + TupleSpaceLayout.FACTOR],
                        w[constants + TupleSpaceLayout.SUMMAND],
                        digest,
                        depth);
        return w[tuple.record + TupleSpaceLayout.CELLS] + CELL * (subtable * depth + cell);
    }

    private void set(int pair, int digest, int head) {
        arena.set(pair + CELL_DIGEST, digest);
        arena.set(pair + CELL_FIRST, head);
    }

    /** Finds a cell for the homeless key, moving others; false if one stays homeless. */
    private boolean place(Tuple tuple) {
        int[] w = arena.words();
        for (int kick = 0; kick < MOST_KICKS; kick++) {
            for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
                int cell = cellAt(tuple, s, homelessDigest);
                if (w[cell + CELL_FIRST] == 0) {
                    set(cell, homelessDigest, homelessHead);
                    return true;
                }
            }
            random = random * 1664525 + 1013904223;
            int cell = cellAt(tuple, (random >>> 16) % TupleSpaceLayout.SUBTABLES, homelessDigest);
            int digest = w[cell + CELL_DIGEST];
            int head = w[cell + CELL_FIRST];
            set(cell, homelessDigest, homelessHead);
            homelessDigest = digest;
            homelessHead = head;
        }
        return false;
    }

    /**
     * Places all keys and the homeless one under other constants and another seed of the digest;
     * every third try in a larger table, where this one is more than half full. After the last try
     * the keys without a cell go to the stash.
     */
    private void rehash(Tuple tuple) {
        int depth = arena.words()[tuple.record + TupleSpaceLayout.DEPTH];
        int[] heads = heads(tuple);
        resizeStash(tuple, 0);
        boolean full = tuple.keys > load * TupleSpaceLayout.SUBTABLES * depth;
        int[] left = new int[CELL * heads.length];
        for (int attempt = 0; ; attempt++) {
            arena.release(arena.words()[tuple.record + TupleSpaceLayout.CELLS], cellWords(depth));
            boolean crowded = 2 * tuple.keys > load * TupleSpaceLayout.SUBTABLES * depth;
            if (full || attempt > 0 && attempt % 3 == 0 && crowded) {
                double growth = load < ROOMY_LOAD ? ROOMY_GROWTH : DENSE_GROWTH;
                depth = Math.max(depth + 1, (int) Math.ceil(depth * growth));
                full = false;
            }
            allocateCells(tuple, depth);
            if (rehashes > 0) {
                chooseConstants(tuple);
            }
            boolean last = attempt >= rehashes;
            int homeless = placeAll(tuple, heads, left, last);
            if (homeless == 0 || last) {
                stash(tuple, left, homeless);
                return;
            }
        }
    }

    /** First slot + 1 of each key: the homeless one's, then those in cells and stash. */
    private int[] heads(Tuple tuple) {
        int[] w = arena.words();
        int[] pairs = pairs(tuple);
        int[] heads = new int[pairs.length + 1];
        heads[0] = homelessHead;
        for (int k = 0; k < pairs.length; k++) {
            heads[k + 1] = w[pairs[k] + CELL_FIRST];
        }
        return heads;
    }

    /**
     * Places keys in empty cells.
     *
     * @param left gets the pairs that find none
     * @param all whether to go on after the first of these
     * @return number of pairs left
     */
    private int placeAll(Tuple tuple, int[] heads, int[] left, boolean all) {
        int homeless = 0;
        for (int head : heads) {
            homelessHead = head;
            homelessDigest = rows.digest(tuple.record, head - 1, TupleSpaceLayout.SEED);
            if (!place(tuple)) {
                left[CELL * homeless + CELL_DIGEST] = homelessDigest;
                left[CELL * homeless++ + CELL_FIRST] = homelessHead;
                if (!all) {
                    break;
                }
            }
        }
        return homeless;
    }

    /** Makes some pairs the tuple's stash. */
    private void stash(Tuple tuple, int[] pairs, int count) {
        resizeStash(tuple, count);
        int[] w = arena.words();
        int stash = w[tuple.record + TupleSpaceLayout.STASH];
        System.arraycopy(pairs, 0, w, stash, CELL * count);
        arena.changed(stash, CELL * count);
    }

    /** Moves the stash to a block of another size, its first pairs with it. */
    private void resizeStash(Tuple tuple, int count) {
        int[] w = arena.words();
        int stash = w[tuple.record + TupleSpaceLayout.STASH];
        int before = w[tuple.record + TupleSpaceLayout.STASHED];
        int moved = 0;
        if (count > 0) {
            moved = arena.allocate((long) CELL * count);
            w = arena.words();
            int kept = CELL * Math.min(count, before);
            System.arraycopy(w, stash, w, moved, kept);
            arena.changed(moved, kept);
        }
        if (stash != 0) {
            arena.release(stash, (long) CELL * before);
        }
        arena.set(tuple.record + TupleSpaceLayout.STASH, moved);
        arena.set(tuple.record + TupleSpaceLayout.STASHED, count);
    }
}
