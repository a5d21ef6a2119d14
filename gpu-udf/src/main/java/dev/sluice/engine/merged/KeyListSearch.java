package dev.sluice.engine.merged;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Arrays;

/**
 * Looks a block of headers up in the lists of an image ({@link PackedLists}), tuple by tuple. Each
 * step is done for all headers of the block before the next one (keys, words of the tables, then
 * entries), so that the processor overlaps their cache misses and the JIT makes vector instructions
 * of the arithmetic. What is appended to a list by an outcome is appended in a loop of its own: in
 * the loop that reads tables or rules, the place of each store would hang on those reads, and later
 * reads on the stores. One instance for each thread.
 */
final class KeyListSearch {
    private static final int BLOCK_BITS = 8;

    /** Most headers of a block. */
    static final int BLOCK = 1 << BLOCK_BITS;

    /** Bits of {@link #asking} and {@link #found} beside a rule's number: which header asks. */
    private static final int HEADER = BLOCK - 1;

    private static final ThreadLocal<KeyListSearch> OF_THREAD =
            ThreadLocal.withInitial(KeyListSearch::new);

    private final int[] best = new int[BLOCK];

    /** For each header the first list, by the number of its first rule, that has no better rule. */
    private final int[] limit = new int[BLOCK];

    /** The block's header words, close together: word p of all, then word p + 1. */
    private int[] block = {};

    /** The same words two by two: all pairs of a header, then those of the next one. */
    private long[] pairs = {};

    private final int[] keys = new int[BLOCK];
    private final int[] named = new int[BLOCK];
    private final int[] may = new int[BLOCK];
    private final int[] first = new int[BLOCK];

    /** Headers that are searched further, each with its next rule's number before it. */
    private final int[] asking = new int[BLOCK + 1];

    /** Headers that match the first test of a rule, in the same form. */
    private final int[] found = new int[BLOCK + 1];

    /** For each of {@link #asking} bit 0: it differs; bit 1: and the list goes on. */
    private final int[] outcome = new int[BLOCK];

    /** First words of the entries or of the rows that are looked at next. */
    private final long[] firstWords = new long[BLOCK];

    private int asked;
    private int matching;

    private KeyListSearch() {}

    /** The thread's instance. */
    static KeyListSearch get() {
        return OF_THREAD.get();
    }

    /**
     * Searches for a block.
     *
     * @param from first header of the block
     * @param n headers of the block, at most {@link #BLOCK}
     * @param verdicts gets the positions of the rules, by index in the batch
     */
    void search(PackedLists lists, HeaderBatch headers, int from, int n, int[] verdicts) {
        copy(lists, headers, from, n);
        for (int i = 0; i < n; i++) {
            best[i] = Integer.MAX_VALUE;
            limit[i] = KeyListLayout.LIST_FIRST;
        }
        for (PackedLists.Tuple tuple : lists.tuples) {
            int firstList = tuple.firstList();
            int alive = 0;
            for (int i = 0; i < n; i++) {
                alive += Branchless.lessThan(firstList, limit[i]);
            }
            if (alive == 0) {
                continue;
            }
            if (4 * alive >= n) {
                keys(tuple, n);
                asked = lists(lists.tables, tuple, n);
            } else {
                asked = listsOfFew(lists.tables, tuple, n);
            }
            while (asked > 0) {
                matching = 0;
                while (asked > 0) {
                    test(lists);
                    part();
                }
                read(lists.rows, lists.rowWords, found, matching, firstWords);
                verify(lists);
                goOn();
            }
        }
        for (int i = 0; i < n; i++) {
            verdicts[from + i] = best[i] == Integer.MAX_VALUE ? VerdictBatch.MISS : best[i];
        }
    }

    private void copy(PackedLists lists, HeaderBatch headers, int from, int n) {
        int positions = headers.layout().size();
        int width = lists.pairs;
        if (block.length < positions * BLOCK) {
            block = new int[positions * BLOCK];
            pairs = new long[width * BLOCK];
        }
        int[] h = headers.words();
        for (int p = 0; p < positions; p++) {
            System.arraycopy(h, p * headers.capacity() + from, block, p * BLOCK, n);
        }
        for (int p = 0; p + 1 < positions; p += 2) {
            pair(block, p * BLOCK, pairs, p / 2, width, n);
        }
        if (positions % 2 != 0) {
            half(block, (positions - 1) * BLOCK, pairs, positions / 2, width, n);
        }
    }

    private static void pair(int[] h, int word, long[] pairs, int pair, int width, int n) {
        for (int i = 0, at = pair; i < n; i++, at += width) {
            pairs[at] = PackedLists.pair(h[word + i], h[word + BLOCK + i]);
        }
    }

    private static void half(int[] h, int word, long[] pairs, int pair, int width, int n) {
        for (int i = 0, at = pair; i < n; i++, at += width) {
            pairs[at] = PackedLists.pair(h[word + i], 0);
        }
    }

    /** Keys of all headers of the block. */
    private void keys(PackedLists.Tuple tuple, int n) {
        int[] h = block;
        int[] positions = tuple.positions();
        int[] masks = tuple.masks();
        if (positions.length == 0) {
            Arrays.fill(keys, 0, n, 0);
        } else if (positions.length == 1) {
            one(keys, h, positions[0] * BLOCK, masks[0], n);
        } else {
            two(keys, h, positions[0] * BLOCK, masks[0], positions[1] * BLOCK, masks[1], n);
        }
        for (int t = 2; t < positions.length; t++) {
            more(keys, h, positions[t] * BLOCK, masks[t], n);
        }
        spread(keys, n);
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

    private int key(PackedLists.Tuple tuple, int i) {
        int key = 0;
        for (int t = 0; t < tuple.positions().length; t++) {
            key = KeyLists.add(key, t, block[tuple.positions()[t] * BLOCK + i] & tuple.masks()[t]);
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
    private int lists(int[] tables, PackedLists.Tuple tuple, int n) {
        int table = tuple.table();
        int shift = tuple.shift();
        for (int i = 0; i < n; i++) {
            named[i] = tables[table + (keys[i] >>> shift)];
        }
        for (int i = 0; i < n; i++) {
            may[i] = may(named[i], keys[i], limit[i]);
            first[i] = (named[i] & KeyListLayout.LIST_FIRST) << BLOCK_BITS;
        }
        int left = 0;
        for (int i = 0; i < n; i++) {
            asking[left] = first[i] + i;
            left += Branchless.isNegative(may[i]);
        }
        return left;
    }

    /** The same where few headers may find a better rule in the tuple. */
    private int listsOfFew(int[] tables, PackedLists.Tuple tuple, int n) {
        int alive = 0;
        for (int i = 0; i < n; i++) {
            found[alive] = i;
            alive += Branchless.lessThan(tuple.firstList(), limit[i]);
        }
        for (int k = 0; k < alive; k++) {
            int key = key(tuple, found[k]);
            keys[k] = key;
            named[k] = tables[tuple.table() + (key >>> tuple.shift())];
        }
        int left = 0;
        for (int k = 0; k < alive; k++) {
            int i = found[k];
            asking[left] = ((named[k] & KeyListLayout.LIST_FIRST) << BLOCK_BITS) + i;
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

    /** Reads the first word of each rule that is asked for: the misses of many overlap. */
    private static void read(long[] words, int width, int[] rules, int count, long[] to) {
        for (int k = 0; k < count; k++) {
            to[k] = words[(rules[k] >>> BLOCK_BITS) * width];
        }
    }

    /** Tests for each header that asks two words of its next rule, which few headers match. */
    private void test(PackedLists lists) {
        long[] w = lists.entries;
        long[] h = pairs;
        int width = lists.pairs;
        int[] rules = asking;
        int[] to = outcome;
        long[] heads = firstWords;
        int count = asked;
        read(w, PackedLists.ENTRY, rules, count, heads);
        for (int k = 0; k < count; k++) {
            int rule = rules[k];
            int at = PackedLists.ENTRY * (rule >>> BLOCK_BITS);
            int low = (int) heads[k];
            long differs =
                    (h[width * (rule & HEADER) + (low >>> PackedLists.PAIR_AT)] ^ w[at + 1])
                            & w[at + 2];
            int miss = Branchless.isNotZero(differs);
            to[k] = miss | (miss & ~(low >>> PackedLists.LAST_AT)) << 1;
        }
    }

    /**
     * Parts those that ask into those that match, which are {@link #found} from then on, and those
     * that ask for the next rule of their list.
     */
    private void part() {
        int[] rules = asking;
        int[] out = found;
        int[] results = outcome;
        int count = asked;
        int left = 0;
        int matches = matching;
        for (int k = 0; k < count; k++) {
            int rule = rules[k];
            int result = results[k];
            out[matches] = rule;
            matches += ~result & 1;
            rules[left] = rule + BLOCK;
            left += result >>> 1;
        }
        asked = left;
        matching = matches;
    }

    /** Compares the headers that were found with whole rules. */
    private void verify(PackedLists lists) {
        long[] rows = lists.rows;
        long[] masks = lists.masks;
        long[] w = lists.entries;
        long[] h = pairs;
        int width = lists.pairs;
        int rowWords = lists.rowWords;
        int ports = lists.portsPosition * BLOCK;
        int[] rules = found;
        long[] heads = firstWords;
        int count = matching;
        for (int k = 0; k < count; k++) {
            int number = rules[k] >>> BLOCK_BITS;
            int i = rules[k] & HEADER;
            int row = rowWords * number;
            int mask = (int) rows[row + width];
            int header = width * i;
            long differs = (h[header] ^ heads[k]) & masks[mask];
            if (width > 1) { // the same for all rules
                differs |= (h[header + 1] ^ rows[row + 1]) & masks[mask + 1];
            }
            if (width > 2) {
                differs |= (h[header + 2] ^ rows[row + 2]) & masks[mask + 2];
            }
            if (width > 3) {
                differs |= (h[header + 3] ^ rows[row + 3]) & masks[mask + 3];
            }
            if (width > 4) {
                differs |= (h[header + 4] ^ rows[row + 4]) & masks[mask + 4];
                for (int p = 5; p < width; p++) {
                    differs |= (h[header + p] ^ rows[row + p]) & masks[mask + p];
                }
            }
            if (ports >= 0) {
                differs |= outside(block[ports + i], rows[row + width + 1]);
            }
            int miss = Branchless.isNotZero(differs);
            long entry = w[PackedLists.ENTRY * number];
            int rank = (int) entry & KeyListLayout.RANK;
            int won = Branchless.maskIfNegative(rank - best[i]) & miss - 1;
            best[i] += rank - best[i] & won;
            limit[i] += (int) (entry >>> PackedLists.LIMIT_AT) - limit[i] & won;
            outcome[k] = miss & ~((int) entry >>> PackedLists.LAST_AT);
        }
    }

    /** Not 0 if a header's ports are outside a rule's ranges. */
    private static int outside(int ports, long ranges) {
        return Match.outside(ports >>> 16, (int) (ranges >>> 32))
                | Match.outside(ports & 0xffff, (int) ranges);
    }

    /**
     * Lets headers that found a rule which differs as a whole ask for the next one of their list.
     */
    private void goOn() {
        int left = 0;
        for (int k = 0; k < matching; k++) {
            asking[left] = found[k] + BLOCK;
            left += outcome[k];
        }
        asked = left;
    }
}
