package dev.sluice.engine.update;

import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.schemas.header.HeaderBatch;

/** A copy whose rules change in place, in a structure of its own. */
class StructureState implements LiveState {
    private final RuleStructure space;
    private final SlotIds ids = new SlotIds();

    StructureState(RuleStructure space) {
        this.space = space;
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        name(journal, from, to);
        change(journal, from, to);
    }

    /** Names the slots of rules that come. */
    final void name(Journal journal, int from, int to) {
        for (int k = from; k < to; k++) {
            if (journal.kinds[k] == Journal.INSERT) {
                ids.set(journal.slots[k], journal.ids[k]);
            }
        }
    }

    /** Changes the structure. */
    final void change(Journal journal, int from, int to) {
        for (int k = from; k < to; k++) {
            int slot = journal.slots[k];
            switch (journal.kinds[k]) {
                case Journal.INSERT -> space.insert(slot, journal.ranks[k], journal.match(k));
                case Journal.REMOVE -> space.remove(slot);
                default -> space.rerank(journal.rankings.get(slot));
            }
        }
    }

    /** The structure. */
    final RuleStructure space() {
        return space;
    }

    /** Id of the rule of a slot. */
    final long idOf(int slot) {
        return ids.get(slot);
    }

    @Override
    public final void search(HeaderBatch headers, long[] idOf, int[] found) {
        int[] ranks = Ranks.OF_THREAD.get().room(headers.capacity());
        find(headers, ranks, found);
        for (int i = 0; i < headers.size(); i++) {
            if (found[i] >= 0) {
                idOf[i] = ids.get(found[i]);
            }
        }
    }

    /** Finds the slot of each header's best rule. */
    void find(HeaderBatch headers, int[] ranks, int[] slots) {
        space.search(headers, ranks, slots);
    }

    @Override
    public long bytes() {
        return space.bytes() + ids.bytes();
    }

    /** Bytes of the ids. */
    final long idBytes() {
        return ids.bytes();
    }

    /** Ranks of a batch, which only the search needs. */
    private static final class Ranks {
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
