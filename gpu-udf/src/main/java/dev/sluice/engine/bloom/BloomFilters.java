package dev.sluice.engine.bloom;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.tuplespace.KeyFilter;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import java.util.Arrays;

/**
 * A Bloom filter for each tuple, in the arena: two bits a key, from a digest under a seed of its
 * own. Beside it, outside the arena, a byte for each bit counts the keys that set it, so that keys
 * can go again; a count that has reached 255 stays, and its bit with it. A filter that has become
 * too small for its keys is made anew at twice the size they need. Not thread-safe.
 */
final class BloomFilters implements KeyFilter {
    private static final int SMALLEST_BITS = 6;
    private static final int LARGEST_BITS = 26;
    private static final int FUNCTIONS = 2;
    private static final int MOST = 255;

    private final int bitsPerKey;

    /** Keys that set each bit, by the id of the tuple. */
    private byte[][] counters = new byte[16][];

    /**
     * Filters.
     *
     * @param bitsPerKey bits that a filter has at least for each of its keys
     */
    BloomFilters(int bitsPerKey) {
        this.bitsPerKey = bitsPerKey;
    }

    @Override
    public void opened(TupleTables tables, Tuple tuple) {
        allocate(tables.arena(), tuple, 1);
    }

    @Override
    public void added(TupleTables tables, Tuple tuple, int slot) {
        Arena arena = tables.arena();
        int bits = arena.words()[tuple.record + TupleSpaceLayout.FILTER_BITS];
        if ((long) tuple.keys * bitsPerKey > 1L << bits && bits < LARGEST_BITS) {
            closing(tables, tuple);
            allocate(arena, tuple, 2 * tuple.keys);
            countAll(tables, tuple);
        }
        count(tables, tuple, slot, 1);
    }

    @Override
    public void removed(TupleTables tables, Tuple tuple, int slot) {
        count(tables, tuple, slot, -1);
    }

    @Override
    public void rehashed(TupleTables tables, Tuple tuple) {
        Arena arena = tables.arena();
        int[] w = arena.words();
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int words = words(w[tuple.record + TupleSpaceLayout.FILTER_BITS]);
        Arrays.fill(w, filter, filter + words, 0);
        arena.changed(filter, words);
        Arrays.fill(counters[tuple.id], (byte) 0);
        countAll(tables, tuple);
    }

    @Override
    public void closing(TupleTables tables, Tuple tuple) {
        int[] w = tables.arena().words();
        tables.arena()
                .release(
                        w[tuple.record + TupleSpaceLayout.FILTER],
                        words(w[tuple.record + TupleSpaceLayout.FILTER_BITS]));
    }

    private static int words(int bits) {
        return 1 << bits - 5;
    }

    private void allocate(Arena arena, Tuple tuple, int keys) {
        long wanted = (long) keys * bitsPerKey;
        int log2 = 64 - Long.numberOfLeadingZeros(Math.max(1, wanted - 1));
        int bits = Math.min(LARGEST_BITS, Math.max(SMALLEST_BITS, log2));
        int at = arena.allocate(words(bits));
        arena.set(tuple.record + TupleSpaceLayout.FILTER, at);
        arena.set(tuple.record + TupleSpaceLayout.FILTER_BITS, bits);
        if (tuple.id >= counters.length) {
            counters = Arrays.copyOf(counters, Math.max(tuple.id + 1, 2 * counters.length));
        }
        arena.hold(1L << bits);
        counters[tuple.id] = new byte[1 << bits];
    }

    /** Counts in every key that is in the tuple's table. */
    private void countAll(TupleTables tables, Tuple tuple) {
        for (int slot : tables.keySlots(tuple)) {
            count(tables, tuple, slot, 1);
        }
    }

    /** Counts the key of a slot's rule in or out. */
    private void count(TupleTables tables, Tuple tuple, int slot, int change) {
        Arena arena = tables.arena();
        int[] w = arena.words();
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int bits = w[tuple.record + TupleSpaceLayout.FILTER_BITS];
        int digest = tables.digest(tuple, slot, TupleSpaceLayout.FILTER_SEED);
        byte[] counts = counters[tuple.id];
        for (int f = 0; f < FUNCTIONS; f++) {
            int bit = TupleSpaceLayout.filterBit(digest, f, bits);
            int count = counts[bit] & 0xff;
            if (count < MOST) {
                count += change;
                counts[bit] = (byte) count;
            }
            int word = filter + (bit >>> 5);
            arena.set(word, count == 0 ? w[word] & ~(1 << bit) : w[word] | 1 << bit);
        }
    }
}
