package dev.sluice.lab.inplace;

import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.schemas.header.HeaderBatch;

/** A copy whose rules change in place, in a structure. */
class StructureState implements LiveState {
    private final RuleStructure structure;
    private final SlotIds ids = new SlotIds();

    StructureState(RuleStructure structure) {
        this.structure = structure;
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        noteIds(journal, from, to);
        change(journal, from, to);
    }

    /** Notes the ids of the rules that the changes insert, by their slots. */
    final void noteIds(Journal journal, int from, int to) {
        for (int k = from; k < to; k++) {
            if (journal.kinds[k] == Journal.INSERT) {
                ids.set(journal.slots[k], journal.ids[k]);
            }
        }
    }

    /** Makes the changes in the structure. */
    final void change(Journal journal, int from, int to) {
        for (int k = from; k < to; k++) {
            int slot = journal.slots[k];
            switch (journal.kinds[k]) {
                case Journal.INSERT -> structure.insert(slot, journal.ranks[k], journal.match(k));
                case Journal.REMOVE -> structure.remove(slot);
                default -> structure.rerank(journal.rankings.get(slot));
            }
        }
    }

    /** The structure. */
    final RuleStructure structure() {
        return structure;
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
        structure.search(headers, ranks, slots);
    }

    @Override
    public long bytes() {
        return structure.bytes() + ids.bytes();
    }

    /** Bytes of the ids. */
    final long idBytes() {
        return ids.bytes();
    }

    /** Room for the ranks that a search finds: callers want ids only. One for each thread. */
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
