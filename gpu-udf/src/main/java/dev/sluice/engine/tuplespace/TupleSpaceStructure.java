package dev.sluice.engine.tuplespace;

import dev.sluice.engine.rules.Match;

/** A tuple for each mask. Not thread-safe. */
public abstract class TupleSpaceStructure extends TupleTablesStructure {
    /**
     * A tuple space of an algorithm.
     *
     * @param tables an empty tuple space
     */
    protected TupleSpaceStructure(TupleTables tables) {
        super(tables);
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        RuleMask mask = tables().writeRow(slot, rank, match);
        Tuple target = mask.target;
        if (target == null || target.rules == 0) {
            target = tables().open(mask.words);
            mask.target = target;
            opened(target);
        }
        tables().put(target, slot);
    }

    /** Is told of a tuple that was opened, before a rule goes there; does nothing. */
    protected void opened(Tuple tuple) {}
}
