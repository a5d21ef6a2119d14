package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks a block of headers up in {@link VersionedTuples}, tuple by tuple. Each step is done for all
 * headers of the block before the next one (keys, heads of chains, then entries), so that the
 * processor overlaps their cache misses and the JIT makes vector instructions of the arithmetic.
 * One instance for each thread.
 */
final class VersionedSearch {
    /** Most headers of a block. */
    static final int BLOCK = 256;

    /** Stands for all headers of a block. */
    private static final int ALL = -1;

    /** Keys of all headers are as quick as those of one in so many, since they are vectors. */
    private static final int MANY = 3;

    private static final ThreadLocal<VersionedSearch> OF_THREAD =
            ThreadLocal.withInitial(VersionedSearch::new);

    /** Order of the best rule so far: the position of a base rule, or an entry's order. */
    private final int[] precede = new int[BLOCK];

    /** The same for all headers of the last batch, in the end. */
    private int[] order = new int[BLOCK];

    private final long[] sub = new long[BLOCK];

    private final int[] keys = new int[BLOCK];

    /** Headers that are searched further, and their next entries. */
    private final int[] asking = new int[BLOCK + 1];

    private final int[] next = new int[BLOCK + 1];

    /** Headers and entries that may be the best yet: their whole rules are compared next. */
    private final int[] possibleHeader = new int[BLOCK + 1];

    private final int[] possibleEntry = new int[BLOCK + 1];

    /** Tuples that each header looks into, a bit each, as of 32 tuples. */
    private final int[] looks = new int[BLOCK];

    /** Tuples in the order of their best rules, and what precedes these. */
    private final int[] byBest = new int[VersionedTuplesLayout.MOST_TUPLES];

    private final int[] bests = new int[VersionedTuplesLayout.MOST_TUPLES];

    /** By tuple: how many headers look into it, or {@link #ALL}, and which. */
    private final int[] lookers = new int[VersionedTuplesLayout.MOST_TUPLES];

    private final short[] looker = new short[VersionedTuplesLayout.MOST_TUPLES * BLOCK];

    private VersionedSearch() {}

    /** The thread's instance. */
    static VersionedSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Replaces verdicts where an entry is better.
     *
     * @param w the words
     * @param directory offset of the tick's directory
     * @param tick the tick
     * @param verdicts by index in the batch: positions of base rules, or {@link VerdictBatch#MISS};
     *     gets {@code base} + slot where an entry is better
     * @param base number of the base's rules
     * @return by index in the batch: how many rules of the base are better than the verdict, where
     *     that is an entry's; valid until the next call
     */
    int[] search(int[] w, int directory, int tick, HeaderBatch headers, int[] verdicts, int base) {
        if (order.length < headers.size()) {
            order = new int[headers.capacity()];
        }
        orderTuples(w, directory);
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            for (int i = 0; i < n; i++) {
                // A miss is -1: as an unsigned number above every position.
                precede[i] = verdicts[from + i] & Integer.MAX_VALUE;
                sub[i] = Long.MAX_VALUE;
            }
            block(w, directory, tick, headers, from, n, verdicts, base);
            System.arraycopy(precede, 0, order, from, n);
        }
        return order;
    }

    /**
     * Orders the tuples by their best rules: what is found in the first ones makes many of the
     * others needless. Best rules that sink meanwhile change the order, not the verdicts.
     */
    private void orderTuples(int[] w, int directory) {
        int tuples = w[directory + VersionedTuplesLayout.TUPLES];
        for (int t = 0; t < tuples; t++) {
            int record = w[directory + VersionedTuplesLayout.RECORDS + t];
            int best = w[record + VersionedTuplesLayout.BEST];
            int k = t;
            for (; k > 0 && bests[k - 1] > best; k--) {
                bests[k] = bests[k - 1];
                byBest[k] = byBest[k - 1];
            }
            bests[k] = best;
            byBest[k] = t;
        }
    }

    private void block(
            int[] w,
            int directory,
            int tick,
            HeaderBatch headers,
            int from,
            int n,
            int[] verdicts,
            int base) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int now = VersionedTuplesLayout.NEVER - tick;
        int tuples = w[directory + VersionedTuplesLayout.TUPLES];
        int pruning = w[directory + VersionedTuplesLayout.PRUNING];
        if (pruning != 0) {
            prune(w, pruning, tuples, h, capacity, from, n);
        }
        for (int k = 0; k < tuples; k++) {
            int t = byBest[k];
            int record = w[directory + VersionedTuplesLayout.RECORDS + t];
            int best = w[record + VersionedTuplesLayout.BEST];
            boolean all = pruning == 0 || lookers[t] == ALL;
            int asked = all ? asked(best, n) : asked(best, t, lookers[t]);
            if (asked == 0) {
                continue;
            }
            keys(w, record, h, capacity, from, n, asked);
            int left = heads(w, record, asked);
            while (left > 0) {
                left = step(w, now, h, capacity, from, left, verdicts, base);
            }
        }
    }

    /** Makes a list of the headers for which a tuple may have something better. */
    private int asked(int best, int n) {
        int asked = 0;
        for (int i = 0; i < n; i++) {
            asking[asked] = i;
            asked += Branchless.isNotNegative(precede[i] - best);
        }
        return asked;
    }

    /** The same, of those that look into the tuple. */
    private int asked(int best, int tuple, int count) {
        int asked = 0;
        int at = tuple * BLOCK;
        for (int k = 0; k < count; k++) {
            int i = looker[at + k];
            asking[asked] = i;
            asked += Branchless.isNotNegative(precede[i] - best);
        }
        return asked;
    }

    /** Makes lists of the headers that look into each tuple. */
    private void prune(int[] w, int pruning, int tuples, int[] h, int capacity, int from, int n) {
        int shift = w[pruning + VersionedTuplesLayout.PRUNING_SHIFT];
        int positions = pruning + VersionedTuplesLayout.PRUNING_POSITIONS;
        int first = w[positions] * capacity + from;
        int second = w[positions + 1] * capacity + from;
        for (int t = 0; t < tuples; t += 32) {
            int known = tuples - t >= 32 ? -1 : (1 << tuples - t) - 1;
            int ofFirst = VersionedTuplesLayout.buckets(pruning, 0, shift) + (t >>> 5);
            int ofSecond = VersionedTuplesLayout.buckets(pruning, 1, shift) + (t >>> 5);
            int every = w[ofFirst] & w[ofSecond] & known;
            looks(w, shift, ofFirst, ofSecond, h, first, second, n);
            for (int k = 0; k < 32; k++) {
                lookers[t + k] = (every >>> k & 1) == 0 ? 0 : ALL;
            }
            int some = lookingInto(known & ~every, n);
            for (int k = 0; k < some; k++) {
                int i = asking[k];
                int bits = next[k];
                do {
                    int tuple = t + Integer.numberOfTrailingZeros(bits);
                    looker[tuple * BLOCK + lookers[tuple]++] = (short) i;
                    bits &= bits - 1;
                } while (bits != 0);
            }
        }
    }

    /** Lists the headers that look into any of some tuples, and into which, behind each other. */
    private int lookingInto(int tuples, int n) {
        int some = 0;
        for (int i = 0; i < n; i++) {
            int bits = looks[i] & tuples;
            asking[some] = i;
            next[some] = bits;
            some += Branchless.isNotZero(bits);
        }
        return some;
    }

    /** The tuples that are in the buckets of both words of each header, of 32 tuples. */
    private void looks(
            int[] w, int shift, int ofFirst, int ofSecond, int[] h, int first, int second, int n) {
        int everyFirst = w[ofFirst];
        int everySecond = w[ofSecond];
        for (int i = 0; i < n; i++) {
            int one = w[ofFirst + VersionedTuplesLayout.bucketOf(h[first + i] >>> 16, shift)];
            int two = w[ofSecond + VersionedTuplesLayout.bucketOf(h[second + i] >>> 16, shift)];
            looks[i] = (one | everyFirst) & (two | everySecond);
        }
    }

    /** Keys of the headers that ask, or of all of the block where many ask. */
    private void keys(int[] w, int record, int[] h, int capacity, int from, int n, int asked) {
        int terms = w[record + VersionedTuplesLayout.TERMS];
        int at = record + VersionedTuplesLayout.FIRST_TERM;
        boolean all = MANY * asked >= n;
        if (all) {
            clear(keys, n);
        } else {
            for (int k = 0; k < asked; k++) {
                keys[asking[k]] = 0;
            }
        }
        for (int t = 0; t < terms; t++, at += VersionedTuplesLayout.TERM) {
            int row = w[at + VersionedTuplesLayout.TERM_POSITION] * capacity + from;
            int mask = w[at + VersionedTuplesLayout.TERM_MASK];
            if (all) {
                mix(keys, h, row, mask, n);
            } else {
                mixAsking(h, row, mask, asked);
            }
        }
        if (all) {
            finish(keys, n);
        } else {
            for (int k = 0; k < asked; k++) {
                keys[asking[k]] = TupleSpaceLayout.finish(keys[asking[k]]);
            }
        }
    }

    private void mixAsking(int[] h, int row, int mask, int asked) {
        for (int k = 0; k < asked; k++) {
            int i = asking[k];
            keys[i] = TupleSpaceLayout.mix(keys[i], h[row + i] & mask);
        }
    }

    private static void clear(int[] keys, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = 0;
        }
    }

    private static void mix(int[] keys, int[] h, int row, int mask, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = TupleSpaceLayout.mix(keys[i], h[row + i] & mask);
        }
    }

    private static void finish(int[] keys, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = TupleSpaceLayout.finish(keys[i]);
        }
    }

    /** First entries of the chains; returns how many headers have one: the first ones to ask. */
    private int heads(int[] w, int record, int asked) {
        int table = w[record + VersionedTuplesLayout.TABLE];
        int shift = w[record + VersionedTuplesLayout.SHIFT];
        for (int k = 0; k < asked; k++) {
            next[k] = w[table + (keys[asking[k]] >>> shift)];
        }
        int left = 0;
        for (int k = 0; k < asked; k++) {
            int entry = next[k];
            asking[left] = asking[k];
            next[left] = entry;
            left += Branchless.isNotZero(entry);
        }
        return left;
    }

    /** Tests an entry for each header that asks; returns how many have another entry to test. */
    private int step(
            int[] w,
            int now,
            int[] h,
            int capacity,
            int from,
            int asked,
            int[] verdicts,
            int base) {
        int left = 0;
        int possible = 0;
        for (int k = 0; k < asked; k++) {
            int i = asking[k];
            int e = next[k];
            possibleHeader[possible] = i;
            possibleEntry[possible] = e;
            possible += mayWin(w, e, now, keys[i], precede[i]);
            int following = w[e + VersionedTuplesLayout.NEXT];
            asking[left] = i;
            next[left] = following;
            left += Branchless.isNotZero(following);
        }
        for (int k = 0; k < possible; k++) {
            int i = possibleHeader[k];
            int e = possibleEntry[k];
            int order = w[e + VersionedTuplesLayout.PRECEDE];
            long place = VersionedTuplesLayout.place(w, e);
            if ((order < precede[i] || place < sub[i]) && matches(w, e, h, capacity, from + i)) {
                precede[i] = order;
                sub[i] = place;
                verdicts[from + i] = base + w[e + VersionedTuplesLayout.SLOT];
            }
        }
        return left;
    }

    /**
     * 1 if an entry has the header's key, counts at the tick, and is not behind what was found; 0
     * if not. None of the differences overflows: all are numbers from 0 on.
     */
    private static int mayWin(int[] w, int e, int now, int key, int found) {
        int other = Branchless.isNotZero(w[e + VersionedTuplesLayout.DIGEST] ^ key);
        int notYet = w[e + VersionedTuplesLayout.FROM] - now;
        int ended = now - 1 - w[e + VersionedTuplesLayout.TO];
        int worse = found - w[e + VersionedTuplesLayout.PRECEDE];
        return Branchless.isNotNegative(notYet | ended | worse | -other);
    }

    /** Returns whether a header has an entry's values under its masks, and ports in its ranges. */
    static boolean matches(int[] w, int entry, int[] h, int capacity, int header) {
        int words = w[VersionedTuplesLayout.WORDS_AT];
        int values = entry + VersionedTuplesLayout.VALUES;
        int masks = entry + w[VersionedTuplesLayout.MASKS_AT];
        int differs = 0;
        for (int p = 0, at = header; p < words; p++, at += capacity) {
            differs |= (h[at] ^ w[values + p]) & w[masks + p];
        }
        if (differs != 0) {
            return false;
        }
        int ports = w[VersionedTuplesLayout.PORTS_AT];
        if (ports < 0) {
            return true;
        }
        int ranges = masks + VersionedTuplesLayout.rounded(words);
        int word = h[ports * capacity + header];
        return Match.inRange(word >>> 16, w[ranges + VersionedTuplesLayout.SRC_PORTS])
                && Match.inRange(word & 0xffff, w[ranges + VersionedTuplesLayout.DST_PORTS]);
    }
}
