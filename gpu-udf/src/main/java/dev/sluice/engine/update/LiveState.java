package dev.sluice.engine.update;

import dev.sluice.schemas.header.HeaderBatch;

/** One of the two copies of a live rule set. Written by one thread while nobody reads it. */
interface LiveState {
    /** Applies changes that the journal holds from an index on. */
    void apply(Journal journal, int from, int to);

    /** Reads ahead what a change of a slot's rule will read. */
    default void readAhead(int slot) {}

    /**
     * Looks up a batch.
     *
     * @param ids gets the id of each header's best rule where it has one
     * @param found gets whether it has: 0 or more, else -1
     */
    void search(HeaderBatch headers, long[] ids, int[] found);

    /** Bytes of the copy's memory. */
    long bytes();
}
