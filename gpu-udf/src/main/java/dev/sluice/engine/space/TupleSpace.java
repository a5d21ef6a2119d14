package dev.sluice.engine.space;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;

/**
 * One class for each mask, or several where a class has a limit; searched in order, with or without
 * filters. Not thread-safe.
 */
public final class TupleSpace implements ArenaSpace {
    private final ClassSpace space;
    private final ClassSpace.Settings settings;

    /** An empty space. */
    public TupleSpace(HeaderLayout layout, Arena arena, ClassSpace.Settings settings) {
        this.space = new ClassSpace(layout, arena, settings);
        this.settings = settings;
    }

    /** The classes. */
    public ClassSpace classes() {
        return space;
    }

    @Override
    public void insert(int slot, int rank, Match match) {
        ClassSpace.RuleMask mask = space.writeRow(slot, rank, match);
        RuleClass target = mask.target;
        if (target == null || target.rules == 0 || target.rules >= settings.classLimit()) {
            target = withRoom(mask);
            mask.target = target;
        }
        space.put(target, slot);
    }

    /**
     * The last class of a mask is the one that fills; earlier ones may have room after removals.
     */
    private RuleClass withRoom(ClassSpace.RuleMask mask) {
        if (settings.classLimit() != Integer.MAX_VALUE) {
            for (RuleClass of : space.order()) {
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
        ClassSearch search = ClassSearch.get();
        for (int from = 0; from < headers.size(); from += ClassSearch.BLOCK) {
            int n = Math.min(ClassSearch.BLOCK, headers.size() - from);
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
    public Algorithm algorithm() {
        return settings.filterBitsPerKey() > 0 ? Algorithm.BLOOM : Algorithm.TUPLE;
    }

    @Override
    public Arena arena() {
        return space.arena();
    }
}
