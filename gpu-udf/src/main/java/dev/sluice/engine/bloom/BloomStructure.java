package dev.sluice.engine.bloom;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceStructure;
import dev.sluice.engine.tuplespace.TupleTables;
import dev.sluice.schemas.header.HeaderLayout;

/** Tuples behind a Bloom filter each, which follow the rules that come and go. Not thread-safe. */
public final class BloomStructure extends TupleSpaceStructure {
    /**
     * An empty structure.
     *
     * @param bitsPerKey bits that a filter has at least for each of its keys
     */
    public BloomStructure(
            HeaderLayout layout, Arena arena, TupleTables.Settings settings, int bitsPerKey) {
        super(new TupleTables(layout, arena, settings, new BloomFilters(bitsPerKey)));
    }

    @Override
    protected void searchBlock(TupleSearch search, int[] words, int count) {
        BloomSearch.get().search(search, words, count);
    }
}
