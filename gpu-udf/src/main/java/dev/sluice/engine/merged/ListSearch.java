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

    /**
     * Bits of a word before {@link KeyListLayout#RANGES}, and behind {@link KeyListLayout#LAST}.
     */
    private static final int RANGES_BEFORE = Integer.numberOfLeadingZeros(KeyListLayout.RANGES);

    private static final int LAST_AT = Integer.numberOfTrailingZeros(KeyListLayout.LAST);

    private static final ThreadLocal<ListSearch> OF_THREAD =
            ThreadLocal.withInitial(ListSearch::new);

    private final int[] best = new int[BLOCK];

    /** For each header the first list, by its first entry + 1, that has no better rule. */
    private final int[] limit = new int[BLOCK];

    /** The block's header words, close together: word p of all, then word p + 1. */
    private int[] block = {};

    private final int[] keys = new int[BLOCK];
    private final int[] named = new int[BLOCK];
    private final int[] may = new int[BLOCK];

    /** Headers that are searched further, and their next entries. */
    private final int[] asking = new int[BLOCK + 1];

    private final int[] next = new int[BLOCK + 1];

    /** Headers that match the first word of an entry, and the entries. */
    private final int[] first = new int[BLOCK + 1];

    private final int[] firstEntry = new int[BLOCK + 1];

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
        int positions = headers.layout().size();
        if (block.length < positions * BLOCK) {
            block = new int[positions * BLOCK];
        }
        for (int p = 0; p < positions; p++) {
            System.arraycopy(h, p * capacity + from, block, p * BLOCK, n);
        }
        for (int i = 0; i < n; i++) {
            best[i] = Integer.MAX_VALUE;
            limit[i] = KeyListLayout.LIST_FIRST;
        }
        for (int t = 0; t < tuples; t++) {
            int entry = order + TupleSpaceLayout.ORDER_ENTRY * t;
            int tupleBest = w[entry + TupleSpaceLayout.ORDER_BEST];
            int record = w[entry + TupleSpaceLayout.ORDER_RECORD];
            int alive = 0;
            for (int i = 0; i < n; i++) {
                alive += Branchless.lessThan(tupleBest, best[i]);
            }
            if (alive == 0) {
                break;
            }
            int table = w[record + TupleSpaceLayout.LISTS];
            int left;
            if (4 * alive >= n) {
                keys(w, record, n);
                left = lists(w, table, n);
            } else {
                left = listsOfFew(w, record, table, tupleBest, n);
            }
            while (left > 0) {
                left = step(w, entries, left);
            }
        }
        for (int i = 0; i < n; i++) {
            verdicts[from + i] = best[i] == Integer.MAX_VALUE ? VerdictBatch.MISS : best[i];
        }
    }

    /** Keys of all headers of the block. */
    private void keys(int[] w, int record, int n) {
        int[] h = block;
        int terms = w[record + TupleSpaceLayout.TERMS];
        int at = record + TupleSpaceLayout.FIRST_TERM;
        if (terms == 0) {
            Arrays.fill(keys, 0, n, 0);
        } else if (terms == 1) {
            one(keys, h, position(w, at) * BLOCK, mask(w, at), n);
        } else {
            two(
                    keys,
                    h,
                    position(w, at) * BLOCK,
                    mask(w, at),
                    position(w, at + TupleSpaceLayout.TERM) * BLOCK,
                    mask(w, at + TupleSpaceLayout.TERM),
                    n);
        }
        for (int t = 2; t < terms; t++) {
            int term = at + TupleSpaceLayout.TERM * t;
            more(keys, h, position(w, term) * BLOCK, mask(w, term), n);
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

    private int key(int[] w, int record, int i) {
        int[] h = block;
        int key = 0;
        int term = record + TupleSpaceLayout.FIRST_TERM;
        int terms = w[record + TupleSpaceLayout.TERMS];
        for (int t = 0; t < terms; t++, term += TupleSpaceLayout.TERM) {
            key = KeyLists.add(key, t, h[position(w, term) * BLOCK + i] & mask(w, term));
        }
        return KeyLists.spread(key);
    }

    /**
     * Reads the words of a tuple's table for all headers of the block. Those whose best rule is
     * better than all of the tuple's have no list before their limit.
     *
     * @return how many headers have a list that may have a better rule; they are the first ones in
     *     {@link #asking} now
     */
    private int lists(int[] w, int table, int n) {
        int shift = 32 - w[table + KeyListLayout.TABLE_BITS];
        int words = table + KeyListLayout.FIRST_WORD;
        for (int i = 0; i < n; i++) {
            named[i] = w[words + (keys[i] >>> shift)];
        }
        for (int i = 0; i < n; i++) {
            may[i] = may(named[i], keys[i], limit[i]);
        }
        int left = 0;
        for (int i = 0; i < n; i++) {
            asking[left] = i;
            next[left] = named[i] & KeyListLayout.LIST_FIRST;
            left += Branchless.isNegative(may[i]);
        }
        return left;
    }

    /** The same where few headers may find a better rule in the tuple. */
    private int listsOfFew(int[] w, int record, int table, int tupleBest, int n) {
        int alive = 0;
        for (int i = 0; i < n; i++) {
            asking[alive] = i;
            alive += Branchless.lessThan(tupleBest, best[i]);
        }
        int shift = 32 - w[table + KeyListLayout.TABLE_BITS];
        int words = table + KeyListLayout.FIRST_WORD;
        for (int k = 0; k < alive; k++) {
            int key = key(w, record, asking[k]);
            keys[k] = key;
            named[k] = w[words + (key >>> shift)];
        }
        int left = 0;
        for (int k = 0; k < alive; k++) {
            int i = asking[k];
            asking[left] = i;
            next[left] = named[k] & KeyListLayout.LIST_FIRST;
            left += Branchless.isNegative(may(named[k], keys[k], limit[i]));
        }
        return left;
    }

    /**
     * Negative if the list that a word names is before the limit, and has the key's tag or, being
     * shared by several keys, none.
     */
    private static int may(int word, int key, int limit) {
        int list = word & KeyListLayout.LIST_FIRST;
        int tag = word >>> KeyListLayout.LIST_BITS;
        int other = tag ^ KeyLists.tag(key);
        return (other - 1 | tag - 1 & -list) & list - limit;
    }

    /**
     * Tests an entry for each header that asks: its first word, which the fewest headers match,
     * then, where that matches, the others. No branch: which entries match is not to be foreseen.
     *
     * @return how many have another entry to test
     */
    private int step(int[] w, int entries, int asked) {
        int[] h = block;
        int left = 0;
        int firsts = 0;
        for (int k = 0; k < asked; k++) {
            int i = asking[k];
            int entry = next[k];
            int at = entries + KeyListLayout.ENTRY * entry;
            int one = w[at + KeyListLayout.RANK_WORD];
            int two = w[at + KeyListLayout.NEXT_WORD];
            int differs =
                    (h[(one >>> KeyListLayout.FIRST_AT & KeyListLayout.POSITION) * BLOCK + i]
                                    ^ w[at + KeyListLayout.FIRST_VALUE])
                            & w[at + KeyListLayout.FIRST_MASK];
            int better = Branchless.lessThan(one & KeyListLayout.RANK, best[i]);
            int miss = Branchless.isNotZero(differs);
            first[firsts] = i;
            firstEntry[firsts] = entry;
            firsts += better & ~miss;
            asking[left] = i;
            next[left] = entry + 1 + (two >>> KeyListLayout.MORE_AT);
            left += better & miss & ~(two >>> LAST_AT);
        }
        return others(w, entries, firsts, left);
    }

    /** Tests the other words of entries; returns how many headers have another entry to test. */
    private int others(int[] w, int entries, int firsts, int leftBefore) {
        int left = leftBefore;
        for (int k = 0; k < firsts; k++) {
            int i = first[k];
            int entry = firstEntry[k];
            int at = entries + KeyListLayout.ENTRY * entry;
            int one = w[at + KeyListLayout.RANK_WORD];
            int two = w[at + KeyListLayout.NEXT_WORD];
            int differs = differs(w, at, one, two, i);
            int more = two >>> KeyListLayout.MORE_AT;
            int miss = Branchless.isNotZero(differs);
            int some = Branchless.isPositive(more);
            int won = -(1 & ~miss & ~some);
            best[i] += (one & KeyListLayout.RANK) - best[i] & won;
            limit[i] += (two & KeyListLayout.LIST_FIRST) - limit[i] & won;
            asking[left] = i;
            next[left] = entry + 1 + (more & -miss);
            left += miss & ~(two >>> LAST_AT) | ~miss & some;
        }
        return left;
    }

    /** Not 0 if a header differs from an entry in its second word or in its third. */
    private int differs(int[] w, int at, int one, int two, int i) {
        int[] h = block;
        int thirdValue = w[at + KeyListLayout.THIRD_VALUE];
        int thirdMask = w[at + KeyListLayout.THIRD_MASK];
        int third = h[(two >>> KeyListLayout.THIRD_AT & KeyListLayout.POSITION) * BLOCK + i];
        int ranges = Branchless.maskIfNegative(two << RANGES_BEFORE);
        return (h[(one >>> KeyListLayout.SECOND_AT) * BLOCK + i]
                                ^ w[at + KeyListLayout.SECOND_VALUE])
                        & w[at + KeyListLayout.SECOND_MASK]
                | ~ranges & (third ^ thirdValue) & thirdMask
                | ranges
                        & (Match.outside(third >>> 16, thirdValue)
                                | Match.outside(third & 0xffff, thirdMask));
    }
}
