package dev.sluice.engine.prefix;

/** Search of the longest prefix around one address of a header. Thread-safe. */
public interface PrefixSearch {
    /** Headers of a block, at most. */
    int BLOCK = 512;

    /** Room of one thread for a block: lists of headers that are not done, and their places. */
    final class Room {
        /** Headers that are searched further. */
        public final int[] header = new int[BLOCK + 1];

        /** Offsets to be read next. */
        public final int[] at = new int[BLOCK + 1];

        /** Remaining sizes of binary searches. */
        public final int[] count = new int[BLOCK];

        /** Keys that are searched. */
        public final int[] key = new int[BLOCK];

        /** Words that were read last. */
        public final int[] read = new int[BLOCK];
    }

    /**
     * Finds the longest prefix around the address of each header of a block.
     *
     * @param h flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param from first header of the block
     * @param n headers of the block
     * @param found gets 1 + the prefix's index, 0 for none
     */
    void find(int[] h, int capacity, int from, int n, Room room, int[] found);
}
