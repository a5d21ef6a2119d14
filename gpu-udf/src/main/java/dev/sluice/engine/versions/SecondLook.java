package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;

/**
 * Looks headers up again whose verdict is a removed rule of the base, among all base rules that are
 * left. One instance for each thread.
 */
final class SecondLook {
    private static final ThreadLocal<SecondLook> OF_THREAD =
            ThreadLocal.withInitial(SecondLook::new);

    private int[] waiting = new int[TupleSearch.BLOCK];
    private HeaderBatch gathered = new HeaderBatch(HeaderLayout.ofWordBits(0), TupleSearch.BLOCK);

    private SecondLook() {}

    /** The thread's instance. */
    static SecondLook get() {
        return OF_THREAD.get();
    }

    /** Replaces verdicts that name a removed rule by the best base rule that is left. */
    void look(VersionedRules rules, int tick, HeaderBatch headers, int[] verdicts) {
        int[] removedAt = rules.removedAt();
        if (waiting.length <= headers.size()) {
            waiting = Arrays.copyOf(waiting, headers.capacity() + 1);
        }
        int pending = 0;
        for (int i = 0; i < headers.size(); i++) {
            int position = verdicts[i];
            if (position >= 0 && removedAt[position] <= tick) {
                waiting[pending++] = i;
            }
        }
        if (pending == 0) {
            return;
        }
        MergedTupleStructure all = rules.base().all();
        if (all == null) {
            throw new IllegalStateException("rules were removed before second looks were built");
        }
        int[] words = all.arena().words();
        TupleSearch search = TupleSearch.get();
        for (int from = 0; from < pending; from += TupleSearch.BLOCK) {
            int count = Math.min(TupleSearch.BLOCK, pending - from);
            gather(headers, from, count);
            search.startWithout(removedAt, tick, words, gathered, 0, count);
            search.inOrder();
            for (int k = 0; k < count; k++) {
                verdicts[waiting[from + k]] =
                        search.bestSlot[k] < 0 ? VerdictBatch.MISS : search.bestSlot[k];
            }
        }
    }

    private void gather(HeaderBatch headers, int from, int count) {
        gathered.clear(headers.layout());
        int[] to = gathered.words();
        int[] words = headers.words();
        for (int p = 0; p < headers.layout().size(); p++) {
            int source = p * headers.capacity();
            int target = p * gathered.capacity();
            for (int k = 0; k < count; k++) {
                to[target + k] = words[source + waiting[from + k]];
            }
        }
        gathered.size(count);
    }
}
