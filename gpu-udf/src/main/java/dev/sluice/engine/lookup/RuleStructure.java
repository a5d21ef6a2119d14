package dev.sluice.engine.lookup;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * A structure that takes and loses rules one by one, and can be looked up in between. Not
 * thread-safe: a caller whose readers must not wait keeps two copies.
 */
public interface RuleStructure {
    /**
     * Adds a rule.
     *
     * @param slot number that the caller gives the rule, unused so far
     * @param rank place in the total order, smaller is better; unique
     */
    void insert(int slot, int rank, Match match);

    /** Removes the rule of a slot. */
    void remove(int slot);

    /** Brings the cache lines in that a change of a slot's rule will touch. */
    default void readAhead(int slot) {}

    /** Gives every rule a new rank; their order stays. */
    void rerank(int[] rankOfSlot);

    /**
     * Looks up a batch of the structure's layout.
     *
     * @param ranks gets the rank of each header's best rule, {@link Integer#MAX_VALUE} for none
     * @param slots gets its slot, or -1
     */
    void search(HeaderBatch headers, int[] ranks, int[] slots);

    /** Bytes of its memory, counters beside filters left out. */
    long bytes();
}
