package dev.sluice.engine.tuplespace;

import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * One class for each mask, or several where a class has a limit; searched in order, with or without
 * filters. Not thread-safe.
 */
public final class TupleStructure implements ArenaStructure {
    private final TupleTables space;
    private final TupleTables.Settings settings;

    /** An empty space. */
    public TupleStructure(HeaderLayout layout, Arena arena, TupleTables.Settings settings) {
        this.space = new TupleTables(layout, arena, settings);
        this.settings = settings;
    }

    /** The classes. */
    public TupleTables classes() {
        return space;
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        TupleTables.RuleMask mask = space.writeRow(slot, rank, match);
        Tuple target = mask.target;
        if (target == null || target.rules == 0 || target.rules >= settings.classLimit()) {
            target = withRoom(mask);
            mask.target = target;
        }
        space.put(target, slot);
    }

    /**
     * The last class of a mask is the one that fills; earlier ones may have room after removals.
     */
    private Tuple withRoom(TupleTables.RuleMask mask) {
        if (settings.classLimit() != Integer.MAX_VALUE) {
            for (Tuple of : space.order()) {
                if (of.mask == mask.words && of.rules < settings.classLimit()) {
                    return of;
                }
            }
        }
        return space.open(mask.words);
    }

    @Override
    public void remove(int slot) {
        space.remove(slot);
    }

    @Override
    public void readAhead(int slot) {
        space.readAhead(slot);
    }

    @Override
    public void rerank(int[] rankOfSlot) {
        space.rerank(rankOfSlot);
    }

    @Override
    public void search(int[] words, HeaderBatch headers, int[] ranks, int[] slots) {
        search(words, headers, ranks, slots, settings.filterBitsPerKey() > 0);
    }

    /** Looks a batch up in an image of such a space. */
    public static void search(
            int[] words, HeaderBatch headers, int[] ranks, int[] slots, boolean filters) {
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < headers.size(); from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, headers.size() - from);
            search.start(words, headers, from, n);
            if (filters) {
                search.filtered();
            } else {
                search.inOrder();
            }
            search.found(ranks, slots);
        }
    }

    @Override
    public Arena arena() {
        return space.arena();
    }
}
