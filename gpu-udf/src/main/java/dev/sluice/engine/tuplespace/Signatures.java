package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;

/**
 * For each tuple a Bloom filter in which all bits of a key lie in one word (F. Putze, P. Sanders,
 * J. Singler, "Cache-, hash- and space-efficient Bloom filters", 2007), so that one load rules most
 * tuples out. For sealed images only: nothing keeps them up to date.
 */
final class Signatures {
    private static final int BITS_PER_KEY = 12;

    private Signatures() {}

    /** Writes a tuple's signatures and where they are. */
    static void write(Arena arena, Tuple tuple, int[] pairs) {
        int bits = 0;
        while (32L << bits < (long) BITS_PER_KEY * tuple.keys) {
            bits++;
        }
        int at = arena.allocate(1L << bits);
        arena.set(tuple.record + TupleSpaceLayout.FILTER, at);
        arena.set(tuple.record + TupleSpaceLayout.FILTER_BITS, bits);
        int[] w = arena.words();
        for (int pair : pairs) {
            int digest = w[pair + TupleSpaceLayout.CELL_DIGEST];
            int word = at + TupleSpaceLayout.signatureWord(digest, bits);
            arena.set(word, w[word] | TupleSpaceLayout.signature(digest));
        }
    }
}
