package dev.sluice.engine.tuplespace;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Looks a block of headers up in the tuples of an image. {@link #start} gives it an image and a
 * block; from then on it keeps the best rule found so far for each header of the block. One
 * instance for each thread.
 */
public final class TupleSearch {
    /** Most headers of a block. */
    public static final int BLOCK = 256;

    private static final ThreadLocal<TupleSearch> OF_THREAD =
            ThreadLocal.withInitial(TupleSearch::new);

    private static final int[] NONE = {};

    /** Ranks found so far, {@link Integer#MAX_VALUE} for none; by index in the block. */
    public final int[] bestRank = new int[BLOCK];

    /** Slots found so far, -1 for none. */
    public final int[] bestSlot = new int[BLOCK];

    private final int[] digests = new int[BLOCK];
    private final int[] active = new int[BLOCK + 1];

    private int[] w = {};
    private int rows;
    private int stride;
    private int ports;
    private int wordCount;
    private int[] h = {};
    private int capacity;
    private int from;
    private int n;

    /** True if the tuples' filters, where there are some, are signatures. */
    private boolean signed;

    /** Tick at which the rule of each slot was removed; may be shorter than the slots. */
    private int[] removedAt = NONE;

    /** Rules that were removed up to this tick are skipped. */
    private int tick;

    private TupleSearch() {}

    /** The thread's instance. */
    public static TupleSearch get() {
        return OF_THREAD.get();
    }

    /**
     * As {@link #start}, but skips rules.
     *
     * @param removals for each slot the tick at which its rule was removed
     * @param atTick rules that were removed at this tick or before are skipped
     */
    public void startWithout(
            int[] removals,
            int atTick,
            int[] words,
            HeaderBatch headers,
            int blockFrom,
            int count) {
        start(words, headers, blockFrom, count);
        removedAt = removals;
        tick = atTick;
    }

    /** Starts a block: nothing is found yet. */
    public void start(int[] words, HeaderBatch headers, int blockFrom, int count) {
        removedAt = NONE;
        signed = false;
        w = words;
        rows = words[TupleSpaceLayout.ROWS_AT];
        stride = words[TupleSpaceLayout.STRIDE_AT];
        ports = words[TupleSpaceLayout.PORTS_AT];
        wordCount = headers.layout().size();
        h = headers.words();
        capacity = headers.capacity();
        from = blockFrom;
        n = count;
        for (int i = 0; i < count; i++) {
            bestRank[i] = Integer.MAX_VALUE;
            bestSlot[i] = -1;
        }
    }

    /** Searches the tuples in the order of their best ranks, until none can win. */
    public void inOrder() {
        signed = true;
        int order = w[TupleSpaceLayout.ORDER_AT];
        int tuples = w[TupleSpaceLayout.TUPLES_AT];
        for (int c = 0; c < tuples; c++) {
            int entry = order + TupleSpaceLayout.ORDER_ENTRY * c;
            int best = w[entry + TupleSpaceLayout.ORDER_BEST];
            int record = w[entry + TupleSpaceLayout.ORDER_RECORD];
            int left = 0;
            for (int i = 0; i < n; i++) {
                active[left] = i;
                left += Branchless.lessThan(best, bestRank[i]);
            }
            if (left == 0) {
                return;
            }
            if (4 * left >= n) {
                digests(record, TupleSpaceLayout.SEED);
                for (int k = 0; k < left; k++) {
                    probe(record, digests[active[k]], active[k]);
                }
            } else {
                for (int k = 0; k < left; k++) {
                    probe(record, digestOf(record, TupleSpaceLayout.SEED, active[k]), active[k]);
                }
            }
        }
    }

    /**
     * Digests of the block's headers under a tuple's mask.
     *
     * @param seedAt which of the record's seeds: {@link TupleSpaceLayout#SEED} or {@link
     *     TupleSpaceLayout#FILTER_SEED}
     * @return the digest of each header by its index in the block, valid until the next call of
     *     this or of {@link #inOrder}
     */
    public int[] digests(int record, int seedAt) {
        fill(digests, n, w[record + seedAt]);
        int at = record + TupleSpaceLayout.FIRST_TERM;
        for (int t = w[record + TupleSpaceLayout.TERMS]; t > 0; t--, at += TupleSpaceLayout.TERM) {
            int base = w[at + TupleSpaceLayout.TERM_POSITION] * capacity + from;
            term(digests, n, h, base, w[at + TupleSpaceLayout.TERM_MASK]);
        }
        finish(digests, n);
        return digests;
    }

    private static void fill(int[] digests, int n, int seed) {
        for (int i = 0; i < n; i++) {
            digests[i] = seed;
        }
    }

    private static void term(int[] digests, int n, int[] h, int base, int mask) {
        for (int i = 0; i < n; i++) {
            digests[i] = TupleSpaceLayout.mix(digests[i], h[base + i] & mask);
        }
    }

    private static void finish(int[] digests, int n) {
        for (int i = 0; i < n; i++) {
            digests[i] = TupleSpaceLayout.finish(digests[i]);
        }
    }

    private int digestOf(int record, int seedAt, int i) {
        int digest = w[record + seedAt];
        int at = record + TupleSpaceLayout.FIRST_TERM;
        for (int t = w[record + TupleSpaceLayout.TERMS]; t > 0; t--, at += TupleSpaceLayout.TERM) {
            int word = h[w[at + TupleSpaceLayout.TERM_POSITION] * capacity + from + i];
            digest = TupleSpaceLayout.mix(digest, word & w[at + TupleSpaceLayout.TERM_MASK]);
        }
        return TupleSpaceLayout.finish(digest);
    }

    /**
     * Writes the verdicts of the block, for sealed images: there, a rank is the rule's position.
     *
     * @param verdicts by index in the batch
     */
    public void positions(int[] verdicts) {
        for (int i = 0; i < n; i++) {
            int rank = bestRank[i];
            verdicts[from + i] = rank == Integer.MAX_VALUE ? VerdictBatch.MISS : rank;
        }
    }

    /** True if a tuple may have a better rule than the one found for a header of the block. */
    public boolean canWin(int record, int i) {
        return w[record + TupleSpaceLayout.BEST] < bestRank[i];
    }

    /** Looks one header of the block up in a tuple. */
    public void probe(int record, int i) {
        probe(record, digestOf(record, TupleSpaceLayout.SEED, i), i);
    }

    private void probe(int record, int digest, int i) {
        int signatures = w[record + TupleSpaceLayout.FILTER];
        if (signatures != 0 && signed) {
            int bits = w[record + TupleSpaceLayout.FILTER_BITS];
            int signature = TupleSpaceLayout.signature(digest);
            if ((w[signatures + TupleSpaceLayout.signatureWord(digest, bits)] & signature)
                    != signature) {
                return;
            }
        }
        int depth = w[record + TupleSpaceLayout.DEPTH];
        int cells = w[record + TupleSpaceLayout.CELLS];
        for (int s = 0; s < TupleSpaceLayout.SUBTABLES; s++) {
            int pair = record + TupleSpaceLayout.CONSTANTS + TupleSpaceLayout.CONSTANT_PAIR * s;
            int place =
                    TupleSpaceLayout.cell(
                            w[pair + TupleSpaceLayout.FACTOR],
                            w[pair + TupleSpaceLayout.SUMMAND],
                            digest,
                            depth);
            int cell = cells + TupleSpaceLayout.CELL * (s * depth + place);
            if (w[cell + TupleSpaceLayout.CELL_DIGEST] == digest) {
                chain(w[cell + TupleSpaceLayout.CELL_FIRST], i);
            }
        }
        int stashed = w[record + TupleSpaceLayout.STASHED];
        if (stashed != 0) {
            int stash = w[record + TupleSpaceLayout.STASH];
            for (int k = 0; k < stashed; k++) {
                int cell = stash + TupleSpaceLayout.CELL * k;
                if (w[cell + TupleSpaceLayout.CELL_DIGEST] == digest) {
                    chain(w[cell + TupleSpaceLayout.CELL_FIRST], i);
                }
            }
        }
    }

    /**
     * Compares a header of the block with the rules of a list, best first, until one matches or
     * none is better than the rule found.
     *
     * @param first first slot of the list + 1, 0 for an empty list
     */
    public void chain(int first, int i) {
        for (int next = first; next != 0; ) {
            int row = rows + (next - 1) * stride;
            if (w[row + TupleSpaceLayout.RANK] >= bestRank[i]) {
                return;
            }
            if (matches(row, i) && !isRemoved(next - 1)) {
                bestRank[i] = w[row + TupleSpaceLayout.RANK];
                bestSlot[i] = next - 1;
                return;
            }
            next = w[row + TupleSpaceLayout.NEXT];
        }
    }

    private boolean isRemoved(int slot) {
        return slot < removedAt.length && removedAt[slot] <= tick;
    }

    private boolean matches(int row, int i) {
        int mask = w[row + TupleSpaceLayout.MASK];
        int at = from + i;
        if (wordCount > 0) {
            int p = w[row + TupleSpaceLayout.CHECK];
            int differs = h[p * capacity + at] ^ w[row + TupleSpaceLayout.CHECK_VALUE];
            if ((differs & w[row + TupleSpaceLayout.CHECK_MASK]) != 0) {
                return false;
            }
        }
        for (int p = 0; p < wordCount; p++, at += capacity) {
            if (((h[at] ^ w[row + TupleSpaceLayout.VALUES + p]) & w[mask + p]) != 0) {
                return false;
            }
        }
        if (ports < 0) {
            return true;
        }
        int word = h[ports * capacity + from + i];
        return Match.inRange(word >>> 16, w[row + TupleSpaceLayout.SRC_PORTS])
                && Match.inRange(word & 0xffff, w[row + TupleSpaceLayout.DST_PORTS]);
    }

    /** A word of a header of the block, by its position in the layout. */
    public int word(int position, int i) {
        return h[position * capacity + from + i];
    }
}
