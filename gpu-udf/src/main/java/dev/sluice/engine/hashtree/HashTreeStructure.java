package dev.sluice.engine.hashtree;

import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.memory.Arena;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.tuplespace.RuleRows;
import dev.sluice.engine.tuplespace.TupleSpaceLayout;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/**
 * The main tree, the extra tree and the four extended Bloom filters, in memory that is an image at
 * every moment ({@link HashTreeLayout}). Not thread-safe.
 */
public final class HashTreeStructure {
    /** A bucket is found by a hash, so that no bits are known of the rules in it. */
    private static final int[] NOTHING_IMPLIED = {};

    private static final int SMALLEST_TABLE_BITS = 4;
    private static final int LARGEST_FILTER_BITS = 16;
    private static final int SMALLEST_FILTER_BITS = 10;
    private static final int FILTER_ARRAYS = HashTreeLayout.FILTER_COUNT * HashTreeLayout.ARRAYS;

    private final Arena arena;
    private final RuleRows rows;
    private final int threshold;
    private final int head;
    private final int filterBits;

    private Match[] matches = new Match[64];

    /**
     * An empty tree.
     *
     * @param threshold rules of a bucket beyond which it becomes a node of the next layer
     * @param expected rules to come: sizes the filters
     */
    public HashTreeStructure(HeaderLayout layout, Arena arena, int threshold, int expected) {
        this.arena = arena;
        this.rows = new RuleRows(layout, arena);
        this.threshold = threshold;
        this.filterBits =
                Math.min(
                        LARGEST_FILTER_BITS,
                        Math.max(
                                SMALLEST_FILTER_BITS,
                                34 - Integer.numberOfLeadingZeros(Math.max(1, expected))));
        this.head = arena.allocate(HashTreeLayout.HEAD);
        for (int f = 0; f < FILTER_ARRAYS; f++) {
            int filter = arena.allocate(1L << filterBits - 1);
            arena.set(head + HashTreeLayout.FILTERS + f, filter);
        }
        int main = node(HashTreeLayout.MACS);
        int extra = node(HashTreeLayout.ADDRESSES);
        arena.set(TupleSpaceLayout.EXTRA_AT, head);
        arena.set(head + HashTreeLayout.MAIN, main);
        arena.set(head + HashTreeLayout.EXTRA_ROOT, extra);
        arena.set(head + HashTreeLayout.FILTER_BITS, filterBits);
    }

    private int node(int layer) {
        int node =
                arena.allocate(
                        HashTreeLayout.FIRST_GROUP
                                + (long) HashTreeLayout.GROUP * HashLayers.GROUPS[layer]);
        arena.set(node + HashTreeLayout.LAYER, layer);
        return node;
    }

    private int[] complete(Match match, boolean values) {
        int[] words = new int[HeaderWord.COUNT];
        for (int w = 0; w < words.length; w++) {
            words[w] = values ? match.value(w) : match.mask(w);
        }
        return words;
    }

    /**
     * Returns whether a rule names none of the filters' four fields: such rules go to the extra
     * tree.
     */
    private static boolean isExtra(int[] mask) {
        return !HashLayers.namesSource(mask)
                && !HashLayers.namesDestination(mask)
                && !HashLayers.namesType(mask)
                && !HashLayers.namesVlan(mask);
    }

    /**
     * Adds a rule.
     *
     * @param slot number that the caller gives the rule, unused so far
     * @param rank place in the total order, smaller is better; unique
     */
    public void insert(int slot, int rank, Match match) {
        rows.chooseCheck(slot, rows.write(slot, rank, match).words, NOTHING_IMPLIED);
        if (slot >= matches.length) {
            matches = Arrays.copyOf(matches, Math.max(slot + 1, matches.length * 3 / 2));
        }
        matches[slot] = match;
        int[] mask = complete(match, false);
        int[] value = complete(match, true);
        boolean extra = isExtra(mask);
        if (!extra) {
            filter(mask, value);
        }
        insert(
                arena.words()[head + (extra ? HashTreeLayout.EXTRA_ROOT : HashTreeLayout.MAIN)],
                extra,
                slot,
                mask,
                value);
    }

    private void insert(int node, boolean extra, int slot, int[] mask, int[] value) {
        int layer = arena.words()[node + HashTreeLayout.LAYER];
        int group = HashLayers.group(layer, mask);
        int record = node + HashTreeLayout.FIRST_GROUP + HashTreeLayout.GROUP * group;
        arena.set(node + HashTreeLayout.RULES, arena.words()[node + HashTreeLayout.RULES] + 1);
        grow(layer, record, arena.words()[record + HashTreeLayout.GROUP_RULES] + 1, extra);
        int[] w = arena.words();
        arena.set(record + HashTreeLayout.GROUP_RULES, w[record + HashTreeLayout.GROUP_RULES] + 1);
        int entry = HashLayers.entry(w, record, HashLayers.hash(layer, group, value));
        place(entry, layer, extra, slot, mask, value);
    }

    private static int next(int layer, boolean extra) {
        return layer == HashTreeLayout.ADDRESSES && extra
                ? HashLayers.NEXT_IN_EXTRA
                : HashLayers.NEXT[layer];
    }

    /** Makes a group's table, or doubles it, up to the paper's size. */
    private void grow(int layer, int record, int rules, boolean extra) {
        int[] w = arena.words();
        int bits = w[record + HashTreeLayout.TABLE_BITS];
        int most = HashLayers.BITS[layer];
        if (w[record + HashTreeLayout.TABLE] != 0 && (bits >= most || rules <= 1 << bits)) {
            return;
        }
        int wider = Math.min(most, Math.max(SMALLEST_TABLE_BITS, bits + 1));
        int old = w[record + HashTreeLayout.TABLE];
        int table = arena.allocate(1L << wider);
        w = arena.words();
        arena.set(record + HashTreeLayout.TABLE, table);
        arena.set(record + HashTreeLayout.TABLE_BITS, wider);
        if (old == 0) {
            return;
        }
        // An entry's rules now belong to one of two entries: rules of buckets are placed again one
        // by one, nodes are dissolved and their rules placed again.
        arena.work(1L << bits);
        for (int e = 0; e < 1 << bits; e++) {
            int content = w[old + e];
            if (content != 0) {
                spread(layer, record, content, extra);
                w = arena.words();
            }
        }
        arena.release(old, 1L << bits);
    }

    private void spread(int layer, int record, int content, boolean extra) {
        if (content < 0) {
            int node = ~content;
            int[] w = arena.words();
            int groups = HashLayers.GROUPS[w[node + HashTreeLayout.LAYER]];
            for (int g = 0; g < groups; g++) {
                int inner = node + HashTreeLayout.FIRST_GROUP + HashTreeLayout.GROUP * g;
                int table = w[inner + HashTreeLayout.TABLE];
                int entries = table == 0 ? 0 : 1 << w[inner + HashTreeLayout.TABLE_BITS];
                arena.work(entries);
                for (int e = 0; e < entries; e++) {
                    if (w[table + e] != 0) {
                        spread(layer, record, w[table + e], extra);
                        w = arena.words();
                    }
                }
            }
            release(node);
            return;
        }
        int first = content;
        while (first != 0) {
            int slot = first - 1;
            first = rows.detach(slot);
            int[] value = complete(matches[slot], true);
            int[] mask = complete(matches[slot], false);
            int group = HashLayers.group(layer, mask);
            int entry =
                    HashLayers.entry(arena.words(), record, HashLayers.hash(layer, group, value));
            place(entry, layer, extra, slot, mask, value);
        }
    }

    /** Adds a rule to the bucket or node of an entry; the group's count has it already. */
    private void place(int entry, int layer, boolean extra, int slot, int[] mask, int[] value) {
        arena.work(BuildMeter.JUMP);
        int[] w = arena.words();
        if (w[entry] < 0) {
            insert(~w[entry], extra, slot, mask, value);
            return;
        }
        rows.link(entry, slot);
        int next = next(layer, extra);
        if (next < 0 || rows.length(entry) <= threshold) {
            return;
        }
        int below = node(next);
        w = arena.words();
        int first = w[entry];
        arena.set(entry, ~below);
        while (first != 0) {
            int moved = first - 1;
            first = rows.detach(moved);
            insert(
                    below,
                    extra,
                    moved,
                    complete(matches[moved], false),
                    complete(matches[moved], true));
        }
    }

    private void release(int node) {
        int[] w = arena.words();
        int groups = HashLayers.GROUPS[w[node + HashTreeLayout.LAYER]];
        for (int g = 0; g < groups; g++) {
            int record = node + HashTreeLayout.FIRST_GROUP + HashTreeLayout.GROUP * g;
            int table = w[record + HashTreeLayout.TABLE];
            if (table != 0) {
                arena.release(table, 1L << w[record + HashTreeLayout.TABLE_BITS]);
            }
        }
        arena.release(node, HashTreeLayout.FIRST_GROUP + (long) HashTreeLayout.GROUP * groups);
    }

    /** Adds a rule to the filter of the fields that it names. */
    private void filter(int[] mask, int[] value) {
        boolean type = HashLayers.namesType(mask);
        boolean vlan = HashLayers.namesVlan(mask);
        int filter =
                (type ? HashTreeLayout.FILTER_TYPE : 0) | (vlan ? HashTreeLayout.FILTER_VLAN : 0);
        int bits =
                1 << HashLayers.group(HashTreeLayout.MACS, mask)
                        | 1
                                << HashTreeLayout.ETHERNET_AT
                                        + HashLayers.group(HashTreeLayout.ETHERNET, mask);
        int digest =
                HashTreeSearch.digest(
                        value,
                        type,
                        vlan,
                        HashLayers.namesSource(mask),
                        HashLayers.namesDestination(mask));
        int[] w = arena.words();
        for (int a = 0; a < HashTreeLayout.ARRAYS; a++) {
            int index = HashTreeSearch.index(digest, a, filterBits);
            int array = HashTreeLayout.ARRAYS * filter + a;
            int word = w[head + HashTreeLayout.FILTERS + array] + (index >>> 1);
            arena.set(word, w[word] | bits << 16 * (index & 1));
        }
    }

    /** The memory. */
    public Arena arena() {
        return arena;
    }
}
