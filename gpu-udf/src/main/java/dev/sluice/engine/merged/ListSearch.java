package dev.sluice.engine.merged;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks a block of headers up in the lists of an image ({@link KeyLists}), tuple by tuple. Each
 * step is done for all headers of the block before the next one (keys, words of the tables, then
 * entries), so that the processor overlaps their cache misses and the JIT makes vector instructions
 * of the arithmetic. One instance for each thread.
 */
public final class ListSearch {
    /** Most headers of a block. */
    public static final int BLOCK = 256;

    private static final ThreadLocal<ListSearch> OF_THREAD =
            ThreadLocal.withInitial(ListSearch::new);

    private final int[] best = new int[BLOCK];

    /** For each header the first list, by its first entry + 1, that has no better rule. */
    private final int[] limit = new int[BLOCK];

    private final int[] keys = new int[BLOCK];
    private final int[] named = new int[BLOCK];

    /** Headers that are searched further, and their next entries. */
    private final int[] asking = new int[BLOCK + 1];

    private final int[] next = new int[BLOCK + 1];

    private ListSearch() {}

    /** The thread's instance. */
    public static ListSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Searches for a block.
     *
     * @param w the image
     * @param from first header of the block
     * @param n headers of the block, at most {@link #BLOCK}
     * @param verdicts gets the positions of the rules, by index in the batch
     */
    public void search(int[] w, HeaderBatch headers, int from, int n, int[] verdicts) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int entries = w[TupleSpaceLayout.EXTRA_AT] - KeyListLayout.ENTRY;
        int order = w[TupleSpaceLayout.ORDER_AT];
        int tuples = w[TupleSpaceLayout.TUPLES_AT];
        for (int i = 0; i < n; i++) {
            best[i] = Integer.MAX_VALUE;
            limit[i] = KeyListLayout.LIST_FIRST;
        }
        for (int t = 0; t < tuples; t++) {
            int entry = order + TupleSpaceLayout.ORDER_ENTRY * t;
            int tupleBest = w[entry + TupleSpaceLayout.ORDER_BEST];
            int record = w[entry + TupleSpaceLayout.ORDER_RECORD];
            int left = 0;
            for (int i = 0; i < n; i++) {
                asking[left] = i;
                left += Branchless.lessThan(tupleBest, best[i]);
            }
            if (left == 0) {
                break;
            }
            if (4 * left >= n) {
                keys(w, record, h, capacity, from, n);
            } else {
                for (int k = 0; k < left; k++) {
                    keys[asking[k]] = key(w, record, h, capacity, from + asking[k]);
                }
            }
            left = lists(w, w[record + TupleSpaceLayout.LISTS], left);
            while (left > 0) {
                left = step(w, entries, h, capacity, from, left);
            }
        }
        for (int i = 0; i < n; i++) {
            verdicts[from + i] = best[i] == Integer.MAX_VALUE ? VerdictBatch.MISS : best[i];
        }
    }

    /** Keys of all headers of the block. */
    private void keys(int[] w, int record, int[] h, int capacity, int from, int n) {
        int terms = w[record + TupleSpaceLayout.TERMS];
        int at = record + TupleSpaceLayout.FIRST_TERM;
        if (terms == 0) {
            Arrays.fill(keys, 0, n, 0);
        } else if (terms == 1) {
            one(keys, h, position(w, at) * capacity + from, mask(w, at), n);
        } else {
            two(
                    keys,
                    h,
                    position(w, at) * capacity + from,
                    mask(w, at),
                    position(w, at + TupleSpaceLayout.TERM) * capacity + from,
                    mask(w, at + TupleSpaceLayout.TERM),
                    n);
        }
        for (int t = 2; t < terms; t++) {
            int term = at + TupleSpaceLayout.TERM * t;
            more(keys, h, position(w, term) * capacity + from, mask(w, term), n);
        }
        spread(keys, n);
    }

    private static int position(int[] w, int term) {
        return w[term + TupleSpaceLayout.TERM_POSITION];
    }

    private static int mask(int[] w, int term) {
        return w[term + TupleSpaceLayout.TERM_MASK];
    }

    private static void one(int[] keys, int[] h, int base, int mask, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = KeyLists.first(h[base + i] & mask);
        }
    }

    private static void two(
            int[] keys, int[] h, int base, int mask, int secondBase, int secondMask, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] =
                    KeyLists.first(h[base + i] & mask)
                            + KeyLists.second(h[secondBase + i] & secondMask);
        }
    }

    private static void more(int[] keys, int[] h, int base, int mask, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = KeyLists.with(keys[i], h[base + i] & mask);
        }
    }

    private static void spread(int[] keys, int n) {
        for (int i = 0; i < n; i++) {
            keys[i] = KeyLists.spread(keys[i]);
        }
    }

    private static int key(int[] w, int record, int[] h, int capacity, int at) {
        int key = 0;
        int term = record + TupleSpaceLayout.FIRST_TERM;
        int terms = w[record + TupleSpaceLayout.TERMS];
        for (int t = 0; t < terms; t++, term += TupleSpaceLayout.TERM) {
            key = KeyLists.add(key, t, h[position(w, term) * capacity + at] & mask(w, term));
        }
        return KeyLists.spread(key);
    }

    /**
     * Reads the words of a tuple's table.
     *
     * @return how many headers have a list that may have a better rule; they are the first ones in
     *     {@link #asking} now
     */
    private int lists(int[] w, int table, int asked) {
        int shift = 32 - w[table + KeyListLayout.TABLE_BITS];
        int first = table + KeyListLayout.FIRST_WORD;
        for (int k = 0; k < asked; k++) {
            named[k] = w[first + (keys[asking[k]] >>> shift)];
        }
        int left = 0;
        for (int k = 0; k < asked; k++) {
            int i = asking[k];
            int word = named[k];
            int list = word & KeyListLayout.LIST_FIRST;
            // Negative if the list is before the limit, and has the key's tag or, being shared by
            // several keys, none.
            int tag = word >>> KeyListLayout.LIST_BITS;
            int other = tag ^ KeyLists.tag(keys[i]);
            int may = (other - 1 | tag - 1 & -list) & list - limit[i];
            asking[left] = i;
            next[left] = list;
            left += Branchless.isNegative(may);
        }
        return left;
    }

    /** Tests an entry for each header that asks; returns how many have another entry to test. */
    private int step(int[] w, int entries, int[] h, int capacity, int from, int asked) {
        int left = 0;
        for (int k = 0; k < asked; k++) {
            int i = asking[k];
            int at = entries + KeyListLayout.ENTRY * next[k];
            int one = w[at + KeyListLayout.RANK_WORD];
            int two = w[at + KeyListLayout.NEXT_WORD];
            int header = from + i;
            int third =
                    h[
                            (two >>> KeyListLayout.THIRD_AT & KeyListLayout.POSITION) * capacity
                                    + header];
            int differs =
                    (h[
                                                    (one >>> KeyListLayout.FIRST_AT
                                                                            & KeyListLayout
                                                                                    .POSITION)
                                                                    * capacity
                                                            + header]
                                            ^ w[at + KeyListLayout.FIRST_VALUE])
                                    & w[at + KeyListLayout.FIRST_MASK]
                            | (h[(one >>> KeyListLayout.SECOND_AT) * capacity + header]
                                            ^ w[at + KeyListLayout.SECOND_VALUE])
                                    & w[at + KeyListLayout.SECOND_MASK];
            if ((two & KeyListLayout.RANGES) == 0) {
                differs |=
                        (third ^ w[at + KeyListLayout.THIRD_VALUE])
                                & w[at + KeyListLayout.THIRD_MASK];
            } else if (!Match.inRange(third >>> 16, w[at + KeyListLayout.THIRD_VALUE])
                    || !Match.inRange(third & 0xffff, w[at + KeyListLayout.THIRD_MASK])) {
                differs = -1;
            }
            int rank = one & KeyListLayout.RANK;
            int more = two >>> KeyListLayout.MORE_AT;
            if (rank >= best[i]) {
                continue;
            }
            if (differs != 0) {
                asking[left] = i;
                next[left] = next[k] + more + 1;
                left += (two & KeyListLayout.LAST) == 0 ? 1 : 0;
            } else if (more != 0) {
                asking[left] = i;
                next[left++] = next[k] + 1;
            } else {
                best[i] = rank;
                limit[i] = two & KeyListLayout.LIST_FIRST;
            }
        }
        return left;
    }
}
