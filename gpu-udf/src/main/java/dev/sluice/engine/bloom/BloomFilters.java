package dev.sluice.engine.bloom;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.tuplespace.Tuple;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.tuplespace.TupleTables;
import java.util.Arrays;

/**
 * A Bloom filter for each tuple, in the arena: two bits a key, from a digest under a seed of its
 * own. A filter that has become too small for its keys is made anew at twice the size they need.
 * Not thread-safe.
 */
final class BloomFilters implements TupleTables.KeyFilter {
    private static final int SMALLEST_BITS = 6;
    private static final int LARGEST_BITS = 26;
    private static final int FUNCTIONS = 2;

    /** Bits a key: 16,384 for 256 keys, as the paper has it. */
    private static final int BITS_PER_KEY = 64;

    @Override
    public void opened(TupleTables tables, Tuple tuple) {
        allocate(tables.arena(), tuple, 1);
    }

    @Override
    public void added(TupleTables tables, Tuple tuple, int slot) {
        Arena arena = tables.arena();
        int bits = arena.words()[tuple.record + TupleSpaceLayout.FILTER_BITS];
        if ((long) tuple.keys * BITS_PER_KEY > 1L << bits && bits < LARGEST_BITS) {
            arena.release(arena.words()[tuple.record + TupleSpaceLayout.FILTER], words(bits));
            allocate(arena, tuple, 2 * tuple.keys);
            addAll(tables, tuple);
        }
        add(tables, tuple, slot);
    }

    @Override
    public void rehashed(TupleTables tables, Tuple tuple) {
        Arena arena = tables.arena();
        int[] w = arena.words();
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int words = words(w[tuple.record + TupleSpaceLayout.FILTER_BITS]);
        Arrays.fill(w, filter, filter + words, 0);
        arena.changed(filter, words);
        addAll(tables, tuple);
    }

    private static int words(int bits) {
        return 1 << bits - 5;
    }

    private void allocate(Arena arena, Tuple tuple, int keys) {
        long wanted = (long) keys * BITS_PER_KEY;
        int log2 = 64 - Long.numberOfLeadingZeros(Math.max(1, wanted - 1));
        int bits = Math.min(LARGEST_BITS, Math.max(SMALLEST_BITS, log2));
        int at = arena.allocate(words(bits));
        arena.set(tuple.record + TupleSpaceLayout.FILTER, at);
        arena.set(tuple.record + TupleSpaceLayout.FILTER_BITS, bits);
    }

    /** Adds every key that is in the tuple's table. */
    private void addAll(TupleTables tables, Tuple tuple) {
        for (int slot : tables.keySlots(tuple)) {
            add(tables, tuple, slot);
        }
    }

    /** Adds the key of a slot's rule. */
    private void add(TupleTables tables, Tuple tuple, int slot) {
        Arena arena = tables.arena();
        int[] w = arena.words();
        int filter = w[tuple.record + TupleSpaceLayout.FILTER];
        int bits = w[tuple.record + TupleSpaceLayout.FILTER_BITS];
        int digest = tables.digest(tuple, slot, TupleSpaceLayout.FILTER_SEED);
        for (int f = 0; f < FUNCTIONS; f++) {
            int bit = TupleSpaceLayout.filterBit(digest, f, bits);
            int word = filter + (bit >>> 5);
            arena.set(word, w[word] | 1 << bit);
        }
    }
}
