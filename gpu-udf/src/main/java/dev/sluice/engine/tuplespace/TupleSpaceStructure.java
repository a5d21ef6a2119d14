package dev.sluice.engine.tuplespace;

import dev.sluice.engine.rules.Match;

/** A tuple for each mask. Not thread-safe. */
public class TupleSpaceStructure {
    private final TupleTables tables;

    /**
     * A tuple space of an algorithm.
     *
     * @param tables an empty tuple space
     */
    public TupleSpaceStructure(TupleTables tables) {
        this.tables = tables;
    }

    /** The tuples. */
    public final TupleTables tables() {
        return tables;
    }

    /**
     * Adds a rule.
     *
     * @param slot number that the caller gives the rule, unused so far
     * @param rank place in the total order, smaller is better; unique
     */
    public void insert(int slot, int rank, Match match) {
        RuleMask mask = tables.writeRow(slot, rank, match);
        Tuple target = mask.target;
        if (target == null) {
            target = tables.open(mask.words);
            mask.target = target;
            opened(target);
        }
        tables.put(target, slot);
    }

    /** Is told of a tuple that was opened, before a rule goes there; does nothing. */
    protected void opened(Tuple tuple) {}
}
