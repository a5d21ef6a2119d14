package dev.sluice.engine.update;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;

/**
 * A copy over a compiled base: the rules inserted since, as merged tuples, and a mark at each base
 * rule that was removed. Where a removed rule is the base's verdict, the header is looked up again
 * among all base rules, in merged tuples that skip the removed ones: a compiled base may lack a
 * rule that another one covers, merged tuples have all.
 */
final class OverlayState implements LiveState {
    /**
     * What both copies share. Immutable.
     *
     * @param classifier of the base rules; its verdicts are their slots
     * @param all the base rules as merged tuples, their slots as ranks
     * @param ids of the base rules by slot
     * @param ranks of the base rules by slot, at first
     */
    record Base(Classifier classifier, MergedTupleStructure all, long[] ids, int[] ranks) {}

    private final Base base;
    private final HeaderLayout layout;
    private final MergedTupleStructure inserted;
    private final int[] removedAt;
    private int[] baseRanks;
    private int insertedRules;
    private int removedRules;
    private final SlotIds insertedIds = new SlotIds();

    OverlayState(Base base, HeaderLayout layout, long budgetBytes) {
        this.base = base;
        this.layout = layout;
        this.baseRanks = base.ranks;
        this.removedAt = new int[base.ids.length];
        Arrays.fill(removedAt, Integer.MAX_VALUE);
        this.inserted = new MergedTupleStructure(layout, new Arena("overlay", budgetBytes));
    }

    private int baseSize() {
        return base.ids.length;
    }

    @Override
    public void apply(Journal journal, int from, int to) {
        for (int k = from; k < to; k++) {
            int slot = journal.slots[k];
            switch (journal.kinds[k]) {
                case Journal.INSERT -> insert(slot - baseSize(), journal, k);
                case Journal.REMOVE -> {
                    if (slot < baseSize()) {
                        removedAt[slot] = 0;
                        removedRules++;
                    } else {
                        inserted.remove(slot - baseSize());
                        insertedRules--;
                    }
                }
                default -> {
                    int[] ranks = journal.rankings.get(slot);
                    baseRanks = Arrays.copyOf(ranks, baseSize());
                    inserted.rerank(
                            Arrays.copyOfRange(
                                    ranks, Math.min(ranks.length, baseSize()), ranks.length));
                }
            }
        }
    }

    private void insert(int slot, Journal journal, int k) {
        insertedIds.set(slot, journal.ids[k]);
        Match match = journal.match(k);
        inserted.insert(slot, journal.ranks[k], match);
        insertedRules++;
    }

    @Override
    public void search(HeaderBatch headers, long[] ids, int[] found) {
        Scratch scratch = Scratch.OF_THREAD.get();
        int n = headers.size();
        scratch.room(headers.capacity());
        HeaderBatch narrow = headers;
        if (!base.classifier.layout().equals(layout)) {
            narrow = scratch.narrow(headers, base.classifier.layout());
        }
        base.classifier.classify(narrow, scratch.verdicts);
        int[] positions = scratch.verdicts.rules();
        if (removedRules > 0) {
            lookAgain(headers, positions, scratch);
        }
        for (int i = 0; i < n; i++) {
            int position = positions[i];
            found[i] = position;
            if (position >= 0) {
                ids[i] = base.ids[position];
            }
        }
        if (insertedRules > 0) {
            inserted.search(headers, scratch.ranks, scratch.slots);
            for (int i = 0; i < n; i++) {
                int slot = scratch.slots[i];
                if (slot >= 0 && (found[i] < 0 || scratch.ranks[i] < baseRanks[found[i]])) {
                    found[i] = baseSize() + slot;
                    ids[i] = insertedIds.get(slot);
                }
            }
        }
    }

    /** Replaces verdicts that name a removed rule by the best base rule that is left. */
    private void lookAgain(HeaderBatch headers, int[] positions, Scratch scratch) {
        int pending = 0;
        int[] waiting = scratch.slots;
        for (int i = 0; i < headers.size(); i++) {
            int position = positions[i];
            if (position >= 0 && removedAt[position] == 0) {
                waiting[pending++] = i;
            }
        }
        if (pending == 0) {
            return;
        }
        HeaderBatch again = scratch.gather(headers, waiting, pending);
        TupleSearch search = TupleSearch.get();
        int[] words = base.all.arena().words();
        for (int from = 0; from < pending; from += TupleSearch.BLOCK) {
            int count = Math.min(TupleSearch.BLOCK, pending - from);
            search.startWithout(removedAt, 0, words, again, from, count);
            search.inOrder();
            for (int k = 0; k < count; k++) {
                positions[waiting[from + k]] =
                        search.bestSlot[k] < 0 ? VerdictBatch.MISS : search.bestSlot[k];
            }
        }
    }

    @Override
    public long bytes() {
        return inserted.bytes() + 4L * removedAt.length + insertedIds.bytes();
    }

    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
        VerdictBatch verdicts = new VerdictBatch(0);
        int[] ranks = new int[0];
        int[] slots = new int[0];
        private HeaderBatch gathered = new HeaderBatch(HeaderLayout.ofWordBits(0), 1);
        private HeaderBatch narrowed = new HeaderBatch(HeaderLayout.ofWordBits(0), 1);

        void room(int capacity) {
            if (ranks.length < capacity) {
                verdicts = new VerdictBatch(capacity);
                ranks = new int[capacity];
                slots = new int[capacity];
                gathered = new HeaderBatch(HeaderLayout.ofWordBits(0), capacity);
                narrowed = new HeaderBatch(HeaderLayout.ofWordBits(0), capacity);
            }
        }

        HeaderBatch gather(HeaderBatch from, int[] which, int count) {
            gathered.clear(from.layout());
            for (int p = 0; p < from.layout().size(); p++) {
                int source = p * from.capacity();
                int target = p * gathered.capacity();
                for (int k = 0; k < count; k++) {
                    gathered.words()[target + k] = from.words()[source + which[k]];
                }
            }
            gathered.size(count);
            return gathered;
        }

        /** The words of a narrower layout. */
        HeaderBatch narrow(HeaderBatch from, HeaderLayout layout) {
            narrowed.clear(layout);
            for (int p = 0; p < layout.size(); p++) {
                System.arraycopy(
                        from.words(),
                        from.layout().position(layout.word(p)) * from.capacity(),
                        narrowed.words(),
                        p * narrowed.capacity(),
                        from.size());
            }
            narrowed.size(from.size());
            return narrowed;
        }
    }
}
