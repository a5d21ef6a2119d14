package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Rules in the tables of tuples. What differs is to which tuple a rule goes, and how a block of
 * headers finds the tuples that are worth a probe. Not thread-safe.
 */
public abstract class TupleTablesStructure implements ArenaStructure {
    private final TupleTables tables;

    /**
     * A structure over tables of its own.
     *
     * @param tables without tuples so far
     */
    protected TupleTablesStructure(TupleTables tables) {
        this.tables = tables;
    }

    /** The tuples. */
    public final TupleTables tables() {
        return tables;
    }

    @Override
    public void remove(int slot) {
        tables.remove(slot);
    }

    @Override
    public final void readAhead(int slot) {
        tables.readAhead(slot);
    }

    @Override
    public final void rerank(int[] rankOfSlot) {
        tables.rerank(rankOfSlot);
    }

    @Override
    public final void search(int[] words, HeaderBatch headers, int[] ranks, int[] slots) {
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            searchBlock(search, words, n);
            search.found(ranks, slots);
        }
    }

    /**
     * Searches the tuples for a block that the search was started for.
     *
     * @param words the memory
     * @param count headers of the block
     */
    protected abstract void searchBlock(TupleSearch search, int[] words, int count);

    @Override
    public final Arena arena() {
        return tables.arena();
    }
}
