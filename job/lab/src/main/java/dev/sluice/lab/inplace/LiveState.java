package dev.sluice.lab.inplace;

import dev.sluice.schemas.header.HeaderBatch;

/**
 * One of the two copies of a rule set that changes. A thread that changes it does so while no other
 * looks into it; {@link TwoCopies} sees to that.
 */
interface LiveState {
    /** Makes the changes of a journal from index {@code from} to before {@code to}. */
    void apply(Journal journal, int from, int to);

    /** Brings into the cache what a change of a slot's rule will read. */
    default void readAhead(int slot) {}

    /**
     * Looks up a batch.
     *
     * @param ids gets the id of each header's best rule where it has one
     * @param found gets 0 or more for each header that a rule matches, else -1
     */
    void search(HeaderBatch headers, long[] ids, int[] found);

    /** Bytes of the copy's memory. */
    long bytes();
}
