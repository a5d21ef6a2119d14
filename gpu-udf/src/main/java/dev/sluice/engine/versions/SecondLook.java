package dev.sluice.engine.versions;

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

    /** Indices of headers whose rule is gone, and the rules' positions. */
    private int[] waiting = new int[TupleSearch.BLOCK];

    private int[] gone = new int[TupleSearch.BLOCK];
    private int count;
    private final GatheredHeaders gathered = new GatheredHeaders();

    private SecondLook() {}

    /** The thread's instance. */
    static SecondLook get() {
        return OF_THREAD.get();
    }

    /** Makes misses of verdicts that name a removed rule. */
    void begin(int[] removedAt, int tick, HeaderBatch headers, int[] verdicts) {
        if (waiting.length <= headers.size()) {
            waiting = new int[headers.capacity() + 1];
            gone = new int[headers.capacity() + 1];
        }
        int n = 0;
        for (int i = 0; i < headers.size(); i++) {
            int position = verdicts[i];
            if (position >= 0 && removedAt[position] <= tick) {
                waiting[n] = i;
                gone[n++] = position;
                verdicts[i] = VerdictBatch.MISS;
            }
        }
        count = n;
    }

    /**
     * Completes the verdicts of {@link #begin}.
     *
     * @param verdicts misses, or the overlay's verdicts
     * @param search knows the order of the overlay's verdicts
     */
    void end(
            VersionedRules rules,
            int tick,
            HeaderBatch headers,
            int[] verdicts,
            VersionedSearch search) {
        TouchedVerdicts touched = rules.touched();
        int pending = 0;
        for (int k = 0; k < count; k++) {
            int i = waiting[k];
            boolean none = verdicts[i] == VerdictBatch.MISS;
            int bound = none ? Integer.MAX_VALUE : search.precede(i);
            if (bound <= gone[k]) {
                continue;
            }
            int[] followers = touched.followers(gone[k]);
            if (followers == null) {
                waiting[pending++] = i;
            } else {
                int position = first(followers, bound, rules, tick, headers, i);
                verdicts[i] = position < 0 ? verdicts[i] : position;
            }
        }
        if (pending > 0) {
            lookAmongAll(pending, rules, tick, headers, verdicts, search);
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
            VersionedRules rules,
            int tick,
            HeaderBatch headers,
            int header) {
        RuleBoxes boxes = rules.base().boxes();
        if (boxes == null) {
            throw new IllegalStateException("rules were compared that are not known");
        }
        int[] removedAt = rules.removedAt();
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
            VersionedRules rules,
            int tick,
            HeaderBatch headers,
            int[] verdicts,
            VersionedSearch search) {
        MergedTupleStructure all = rules.base().all();
        if (all == null) {
            throw new IllegalStateException("rules were removed before second looks were built");
        }
        int[] words = all.arena().words();
        int[] removedAt = rules.removedAt();
        TupleSearch tuples = TupleSearch.get();
        for (int from = 0; from < pending; from += TupleSearch.BLOCK) {
            int n = Math.min(TupleSearch.BLOCK, pending - from);
            HeaderBatch again = gathered.take(headers, waiting, from, n);
            tuples.startWithout(removedAt, tick, words, again, 0, n);
            tuples.inOrder();
            for (int k = 0; k < n; k++) {
                int i = waiting[from + k];
                int position = tuples.bestSlot[k];
                if (position >= 0
                        && (verdicts[i] == VerdictBatch.MISS || position < search.precede(i))) {
                    verdicts[i] = position;
                }
            }
        }
    }
}
