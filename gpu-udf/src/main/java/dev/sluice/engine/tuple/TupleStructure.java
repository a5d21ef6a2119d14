package dev.sluice.engine.tuple;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Tuples that are searched one after the other, best first. Not thread-safe. */
public final class TupleStructure extends TupleSpaceStructure {
    /** An empty structure. */
    public TupleStructure(HeaderLayout layout, Arena arena, TupleTables.Settings settings) {
        super(new TupleTables(layout, arena, settings));
    }

    @Override
    protected void searchBlock(TupleSearch search, int[] words, int count) {
        search.inOrder();
    }
}
