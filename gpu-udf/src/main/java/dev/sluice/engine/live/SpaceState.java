package dev.sluice.engine.live;

import dev.sluice.engine.image.ReadAhead;
import dev.sluice.engine.space.ArenaSpace;
import dev.sluice.engine.space.RuleSpace;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/** A copy whose rules change in place. */
final class SpaceState implements LiveState {
    private final RuleSpace space;
    private long[] idOfSlot = new long[64];

    SpaceState(RuleSpace space) {
        this.space = space;
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        if (space instanceof ArenaSpace of) {
            of.arena().twinFollows(to - from <= TwoCopies.FEW);
        }
        for (int k = from; k < to; k++) {
            int slot = journal.slots[k];
            switch (journal.kinds[k]) {
                case Journal.INSERT -> {
                    if (slot >= idOfSlot.length) {
                        idOfSlot =
                                Arrays.copyOf(
                                        idOfSlot, Math.max(slot + 1, idOfSlot.length * 3 / 2));
                    }
                    idOfSlot[slot] = journal.ids[k];
                    space.insert(slot, journal.ranks[k], journal.match(k));
                }
                case Journal.REMOVE -> space.remove(slot);
                default -> space.rerank(journal.rankings.get(slot));
            }
        }
    }

    @Override
    public void readAhead(int slot, ReadAhead into) {
        space.readAhead(slot, into);
        if (slot < idOfSlot.length) {
            into.see((int) idOfSlot[slot]);
        }
    }

    /** The structure. */
    RuleSpace space() {
        return space;
    }

    /** Id of the rule of a slot. */
    long idOf(int slot) {
        return idOfSlot[slot];
    }

    @Override
    public void search(HeaderBatch headers, long[] ids, int[] found) {
        int[] ranks = Ranks.OF_THREAD.get().room(headers.capacity());
        space.search(headers, ranks, found);
        for (int i = 0; i < headers.size(); i++) {
            if (found[i] >= 0) {
                ids[i] = idOfSlot[found[i]];
            }
        }
    }

    @Override
    public long bytes() {
        return space.bytes() + 8L * idOfSlot.length;
    }

    /** Ranks of a batch, which only the search needs. */
    static final class Ranks {
        static final ThreadLocal<Ranks> OF_THREAD = ThreadLocal.withInitial(Ranks::new);
        private int[] ranks = new int[0];

        int[] room(int size) {
            if (ranks.length < size) {
                ranks = new int[size];
            }
            return ranks;
        }
    }
}
