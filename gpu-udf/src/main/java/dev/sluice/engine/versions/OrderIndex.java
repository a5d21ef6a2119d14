package dev.sluice.engine.versions;

import dev.sluice.engine.rules.Rule;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rules of an overlay in their total order: an ordered list of blocks, each an ordered array of
 * at most {@link #BLOCK} rules. A search is two binary searches in arrays of numbers, and reads
 * rules only where numbers are equal; an insertion moves part of a block, and at times splits it.
 * Not thread-safe.
 */
final class OrderIndex {
    private static final int BLOCK = 128;

    /** Rules in order, by blocks, with the numbers of {@link #key}. */
    private static final class Block {
        final long[] keys = new long[BLOCK];
        final Rule[] rules = new Rule[BLOCK];
        final int[] slots = new int[BLOCK];
        int size;

        void put(int at, long key, Rule rule, int slot) {
            System.arraycopy(keys, at, keys, at + 1, size - at);
            System.arraycopy(rules, at, rules, at + 1, size - at);
            System.arraycopy(slots, at, slots, at + 1, size - at);
            keys[at] = key;
            rules[at] = rule;
            slots[at] = slot;
            size++;
        }

        @SuppressWarnings("NullAway") // what is behind the size is not read
        void cut(int at) {
            size--;
            System.arraycopy(keys, at + 1, keys, at, size - at);
            System.arraycopy(rules, at + 1, rules, at, size - at);
            System.arraycopy(slots, at + 1, slots, at, size - at);
            rules[size] = null;
        }

        @SuppressWarnings("NullAway") // what is behind the size is not read
        Block half() {
            Block upper = new Block();
            int from = BLOCK / 2;
            upper.size = size - from;
            System.arraycopy(keys, from, upper.keys, 0, upper.size);
            System.arraycopy(rules, from, upper.rules, 0, upper.size);
            System.arraycopy(slots, from, upper.slots, 0, upper.size);
            Arrays.fill(rules, from, size, null);
            size = from;
            return upper;
        }
    }

    /** Blocks in order; none is empty, but for the only one. */
    private Block[] blocks = {new Block()};

    private int count = 1;

    /** First key of each block. */
    private long[] firsts = new long[1];

    // Where the last search ended: the first rule that is not before the one that was asked for.
    private int block;
    private int at;

    /**
     * A number that orders rules as their total order does; of rules with equal numbers the places
     * decide.
     */
    static long key(Rule rule) {
        return (long) ~rule.priority() << 32 | rule.place().leading() & 0xffffffffL;
    }

    private static boolean before(long key, Rule rule, long asked, Rule askedFor) {
        return key < asked || key == asked && rule.precedes(askedFor);
    }

    private void find(Rule rule) {
        long key = key(rule);
        int low = 0;
        int high = count - 1;
        // The last block whose first rule is before the rule, or the first one.
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            Block there = blocks[middle];
            if (firsts[middle] < key || firsts[middle] == key && there.rules[0].precedes(rule)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        block = low;
        Block there = blocks[low];
        int from = 0;
        int to = there.size;
        while (from < to) {
            int middle = from + to >>> 1;
            if (before(there.keys[middle], there.rules[middle], key, rule)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        at = from;
    }

    /**
     * Adds a rule.
     *
     * @return the slot of the rule before it, -1 if it is the first, or -2 if a rule of the same
     *     priority and place is there, and nothing was added
     */
    int insert(Rule rule, int slot) {
        find(rule);
        Rule same = there();
        if (same != null && !rule.precedes(same)) {
            return -2;
        }
        int before = at > 0 ? blocks[block].slots[at - 1] : -1;
        Block to = blocks[block];
        if (to.size == BLOCK) {
            split();
            if (at > to.size) {
                at -= to.size;
                block++;
                to = blocks[block];
            }
        }
        to.put(at, key(rule), rule, slot);
        firsts[block] = to.keys[0];
        return before;
    }

    /** The rule at which the last search ended, if there is one. */
    private @Nullable Rule there() {
        if (at < blocks[block].size) {
            return blocks[block].rules[at];
        }
        return block + 1 < count ? blocks[block + 1].rules[0] : null;
    }

    private void split() {
        Block upper = blocks[block].half();
        if (count == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * count);
            firsts = Arrays.copyOf(firsts, 2 * count);
        }
        System.arraycopy(blocks, block + 1, blocks, block + 2, count - block - 1);
        System.arraycopy(firsts, block + 1, firsts, block + 2, count - block - 1);
        blocks[block + 1] = upper;
        firsts[block + 1] = upper.keys[0];
        count++;
    }

    /** Removes a rule that is there. */
    void remove(Rule rule) {
        find(rule);
        if (at == blocks[block].size) {
            block++;
            at = 0;
        }
        Block from = blocks[block];
        from.cut(at);
        if (from.size > 0) {
            firsts[block] = from.keys[0];
        } else if (count > 1) {
            System.arraycopy(blocks, block + 1, blocks, block, count - block - 1);
            System.arraycopy(firsts, block + 1, firsts, block, count - block - 1);
            count--;
        }
    }
}
