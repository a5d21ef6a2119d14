package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.launch.ChangesLayout;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.TupleSearch;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.engine.versions.VersionedTuplesLayout;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * The kernel {@code overlay} for {@link FakeDriver}: the look-up that {@link VersionedTuplesLayout}
 * describes, word for word and a header at a time.
 */
final class OverlayOnHeap {
    private OverlayOnHeap() {}

    /**
     * Replaces the verdicts of the base by those of a version.
     *
     * @param all the base rules as tuples
     * @param came words of the rules that came
     * @param went the ticks at which base rules went
     * @param verdicts positions of base rules or {@link VerdictBatch#MISS}; gets the version's
     */
    static void run(
            int[] all,
            int[] came,
            int[] went,
            int[] parameters,
            HeaderBatch batch,
            int[] verdicts) {
        int tick = parameters[ChangesLayout.TICK];
        lookAgain(all, went, tick, batch, verdicts);
        for (int i = 0; i < batch.size(); i++) {
            int slot =
                    inserted(
                            came, parameters[ChangesLayout.DIRECTORY], tick, batch, i, verdicts[i]);
            verdicts[i] = slot < 0 ? verdicts[i] : parameters[ChangesLayout.BASE_RULES] + slot;
        }
    }

    private static void lookAgain(
            int[] all, int[] went, int tick, HeaderBatch batch, int[] verdicts) {
        TupleSearch search = TupleSearch.get();
        for (int i = 0; i < batch.size(); i++) {
            if (verdicts[i] >= 0 && went[verdicts[i]] <= tick) {
                search.startWithout(went, tick, all, batch, i, 1);
                search.inOrder();
                verdicts[i] = search.bestSlot[0];
            }
        }
    }

    /** Slot of the best rule that came and is better than a base rule; -1 for none. */
    private static int inserted(
            int[] w, int directory, int tick, HeaderBatch batch, int i, int position) {
        int found = -1;
        int precede = position < 0 ? Integer.MAX_VALUE : position;
        long sub = -1;
        for (int t = 0; t < w[directory + VersionedTuplesLayout.TUPLES]; t++) {
            int record = w[directory + VersionedTuplesLayout.RECORDS + t];
            if (w[record + VersionedTuplesLayout.BEST] > precede) {
                continue;
            }
            int key = key(w, record, batch, i);
            int chain = key >>> w[record + VersionedTuplesLayout.SHIFT];
            int e = w[w[record + VersionedTuplesLayout.TABLE] + chain];
            for (; e != 0; e = w[e + VersionedTuplesLayout.NEXT]) {
                int order = w[e + VersionedTuplesLayout.PRECEDE];
                long place =
                        (long) w[e + VersionedTuplesLayout.SUB_HIGH] << 32
                                | w[e + VersionedTuplesLayout.SUB_LOW] & 0xffffffffL;
                boolean better =
                        order < precede || order == precede && Long.compareUnsigned(place, sub) < 0;
                if (better
                        && w[e + VersionedTuplesLayout.DIGEST] == key
                        && counts(w, e, tick)
                        && holds(w, e, batch, i)) {
                    precede = order;
                    sub = place;
                    found = w[e + VersionedTuplesLayout.SLOT];
                }
            }
        }
        return found;
    }

    private static int key(int[] w, int record, HeaderBatch batch, int i) {
        int digest = 0;
        for (int t = 0; t < w[record + VersionedTuplesLayout.TERMS]; t++) {
            int at = record + VersionedTuplesLayout.FIRST_TERM + t * VersionedTuplesLayout.TERM;
            int word = batch.word(w[at + VersionedTuplesLayout.TERM_POSITION], i);
            digest = TupleSpaceLayout.mix(digest, word & w[at + VersionedTuplesLayout.TERM_MASK]);
        }
        return TupleSpaceLayout.finish(digest);
    }

    private static boolean counts(int[] w, int entry, int tick) {
        int now = VersionedTuplesLayout.NEVER - tick;
        return w[entry + VersionedTuplesLayout.FROM] >= now
                && w[entry + VersionedTuplesLayout.TO] < now;
    }

    private static boolean holds(int[] w, int entry, HeaderBatch batch, int i) {
        int masks = w[VersionedTuplesLayout.MASKS_AT];
        for (int p = 0; p < w[VersionedTuplesLayout.WORDS_AT]; p++) {
            int differs = batch.word(p, i) ^ w[entry + VersionedTuplesLayout.VALUES + p];
            if ((differs & w[entry + masks + p]) != 0) {
                return false;
            }
        }
        int ports = w[VersionedTuplesLayout.PORTS_AT];
        int ranges = entry + 2 * masks - VersionedTuplesLayout.VALUES;
        return ports < 0
                || Match.inRange(
                                batch.word(ports, i) >>> 16,
                                w[ranges + VersionedTuplesLayout.SRC_PORTS])
                        && Match.inRange(
                                batch.word(ports, i) & 0xffff,
                                w[ranges + VersionedTuplesLayout.DST_PORTS]);
    }
}
