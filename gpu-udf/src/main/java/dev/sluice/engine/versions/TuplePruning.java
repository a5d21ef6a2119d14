package dev.sluice.engine.versions;

import dev.sluice.engine.memory.Arena;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;

/**
 * Filter of the tuples of {@link VersionedTuples} that may have an entry for a header, by the upper
 * halves of its source and destination addresses: each half names a bucket, a bucket the tuples of
 * its entries, and a tuple that is not in both buckets is not looked into (V. Srinivasan, S. Suri,
 * G. Varghese, "Packet Classification using Tuple Space Search", 1999, section 5, tuple pruning;
 * with hashed buckets in place of tries). Entries whose prefix has many upper halves are in all
 * buckets.
 *
 * <p>Bits are only ever set, so a look-up may see those of later entries. What was removed leaves
 * its bits until all are worked out anew, in another block; older ticks keep the block they had.
 * {@link VersionedTuplesLayout} has the words. Used by the thread that writes.
 */
final class TuplePruning {
    private static final int SMALLEST_BITS = 10;
    private static final int LARGEST_BITS = 15;

    private final Arena arena;
    private final Accelerators limits;

    /** Positions of the header words that are looked at: two, or none where there are no two. */
    private final int[] positions;

    private int block;
    private int bits;

    /** Entries that are in the block. */
    private int noted;

    TuplePruning(Arena arena, HeaderLayout layout, Accelerators limits) {
        this.arena = arena;
        this.limits = limits;
        int source = layout.position(HeaderWord.IPV4_SRC);
        int destination = layout.position(HeaderWord.IPV4_DST);
        if (source < 0 || destination < 0) {
            source = layout.position(HeaderWord.IPV6_SRC);
            destination = layout.position(HeaderWord.IPV6_DST);
        }
        boolean both = source >= 0 && destination >= 0;
        this.positions = both ? new int[] {source, destination} : new int[0];
    }

    /** Offset of the block of now; 0 while every tuple is looked into. */
    int block() {
        return block;
    }

    /** Returns whether the block is to be made anew: it lacks, or says too little. */
    boolean isDue(int tuples, int live) {
        if (positions.length == 0) {
            return false;
        }
        if (block == 0) {
            return tuples > limits.allTuples();
        }
        return noted >= 2 << bits && (bits < LARGEST_BITS || noted >= 4 * live);
    }

    /** Returns the size of the block for so many entries, in words. */
    static long words(int live) {
        return blockWords(bitsFor(live));
    }

    private static int bitsFor(int live) {
        int bits = 32 - Integer.numberOfLeadingZeros(live);
        return Math.max(SMALLEST_BITS, Math.min(LARGEST_BITS, bits));
    }

    private static long blockWords(int bits) {
        return VersionedTuplesLayout.PRUNING_BUCKETS
                + 2L * VersionedTuplesLayout.BUCKET * ((1 << bits) + 1);
    }

    /** Allocates a block for so many entries, none of which is in it. */
    void renew(int live) {
        int next = bitsFor(live);
        block = arena.allocate(blockWords(next));
        bits = next;
        noted = 0;
        arena.set(block + VersionedTuplesLayout.PRUNING_SHIFT, 32 - bits);
        for (int f = 0; f < 2; f++) {
            arena.set(block + VersionedTuplesLayout.PRUNING_POSITIONS + f, positions[f]);
        }
    }

    /**
     * Puts an entry into the block.
     *
     * @param tuple index of its tuple
     * @param values offset of its values
     * @param masks offset of its masks
     */
    void add(int tuple, int values, int masks) {
        if (block == 0) {
            return;
        }
        noted++;
        int shift = 32 - bits;
        int[] w = arena.words();
        for (int f = 0; f < 2; f++) {
            int all = VersionedTuplesLayout.buckets(block, f, shift);
            int p = positions[f];
            int value = w[values + p] >>> 16;
            int free = ~w[masks + p] >>> 16;
            // Values under a mask that is no prefix, or a short one, would be too many.
            boolean prefix = (free & free + 1) == 0;
            if (!prefix || free >= limits.halves()) {
                set(all, tuple);
                continue;
            }
            for (int half = value; half <= (value | free); half++) {
                set(all + VersionedTuplesLayout.bucketOf(half, shift), tuple);
            }
        }
    }

    private void set(int bucket, int tuple) {
        int at = bucket + (tuple >>> 5);
        int before = arena.words()[at];
        int after = before | 1 << tuple;
        if (after != before) {
            arena.set(at, after);
        }
    }
}
