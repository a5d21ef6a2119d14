package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.SelectedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.merged.MergedTupleStructure;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks headers up again whose verdict is a removed rule of the base, among the base rules that are
 * left: {@link #begin}, then the overlay's look-up, then {@link #end}. Where the overlay has a rule
 * that comes before the removed one, that is the verdict: of the base rules none before the removed
 * one matches. Else those that follow it are tried ({@link TouchedVerdicts#followers}), or, where
 * they are many, all are searched. One instance for each thread.
 */
final class SecondLook {
    private static final ThreadLocal<SecondLook> OF_THREAD =
            ThreadLocal.withInitial(SecondLook::new);

    /** Places in the list of headers whose rule is gone, and the rules' positions. */
    private int[] waiting = new int[TupleSearch.BLOCK];

    private int[] gone = new int[TupleSearch.BLOCK];
    private int count;

    /** Indices of headers that are looked up among all rules. */
    private int[] again = new int[TupleSearch.BLOCK];

    private final SelectedHeaders gathered = new SelectedHeaders(0);

    private SecondLook() {}

    /** The thread's instance. */
    static SecondLook get() {
        return OF_THREAD.get();
    }

    /**
     * Makes misses of verdicts that name a removed rule.
     *
     * @param list indices of headers, among them all whose verdict can be a removed rule
     * @param listed how many of the list are
     */
    void begin(int[] removedAt, int tick, int[] list, int listed, int[] verdicts) {
        if (waiting.length <= listed) {
            waiting = new int[2 * listed];
            gone = new int[2 * listed];
            again = new int[2 * listed];
        }
        int n = 0;
        for (int k = 0; k < listed; k++) {
            int position = verdicts[list[k]];
            if (position >= 0 && removedAt[position] <= tick) {
                waiting[n] = k;
                gone[n++] = position;
                verdicts[list[k]] = VerdictBatch.MISS;
            }
        }
        count = n;
    }

    /**
     * Completes the verdicts of {@link #begin}.
     *
     * @param list as before
     * @param verdicts misses, or the overlay's verdicts
     * @param order by place in the list: rules of the base that are better than the overlay's
     *     verdict
     */
    void end(
            BaseChanges changes,
            int tick,
            HeaderBatch headers,
            int[] list,
            int[] verdicts,
            int[] order) {
        TouchedVerdicts touched = changes.touched;
        int pending = 0;
        for (int k = 0; k < count; k++) {
            int i = list[waiting[k]];
            boolean none = verdicts[i] == VerdictBatch.MISS;
            int bound = none ? Integer.MAX_VALUE : order[waiting[k]];
            if (bound <= gone[k]) {
                continue;
            }
            int[] followers = touched.followers(gone[k]);
            if (followers == null) {
                waiting[pending] = waiting[k];
                again[pending++] = i;
            } else {
                int position = first(followers, bound, changes, tick, headers, i);
                verdicts[i] = position < 0 ? verdicts[i] : position;
            }
        }
        if (pending > 0) {
            lookAmongAll(pending, changes, tick, headers, verdicts, order);
        }
    }

    /**
     * The first of some rules that is there and matches a header, -1 where none does.
     *
     * @param bound rules from this position on are of no use
     */
    private static int first(
            int[] positions,
            int bound,
            BaseChanges changes,
            int tick,
            HeaderBatch headers,
            int header) {
        RuleBoxes boxes = changes.base.boxes();
        if (boxes == null) {
            throw new IllegalStateException("rules were compared that are not known");
        }
        int[] removedAt = changes.removedAt;
        for (int position : positions) {
            if (position >= bound) {
                return -1;
            }
            if (removedAt[position] > tick && boxes.matches(position, headers, header)) {
                return position;
            }
        }
        return -1;
    }

    private void lookAmongAll(
            int pending,
            BaseChanges changes,
            int tick,
            HeaderBatch headers,
            int[] verdicts,
            int[] order) {
        MergedTupleStructure all = changes.base.all();
        if (all == null) {
            throw new IllegalStateException("rules were removed before second looks were built");
        }
        int[] words = all.arena().words();
        int[] removedAt = changes.removedAt;
        TupleSearch tuples = TupleSearch.get();
        for (int from = 0; from < pending; from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, pending - from);
            HeaderBatch batch = gathered.take(headers.layout(), headers, again, from, n);
            tuples.startWithout(removedAt, tick, words, batch, 0, n);
            tuples.inOrder();
            for (int k = 0; k < n; k++) {
                int i = again[from + k];
                int position = tuples.bestSlot[k];
                if (position >= 0
                        && (verdicts[i] == VerdictBatch.MISS
                                || position < order[waiting[from + k]])) {
                    verdicts[i] = position;
                }
            }
        }
    }
}
