package dev.sluice.engine.prefix;

import dev.sluice.engine.lookup.Branchless;
import java.util.Arrays;

/**
 * Search of a {@link PrefixTrie} in an image. Thread-safe.
 *
 * @param at reference of the first table
 * @param around offset of the records that addresses are compared with
 * @param position position of the address's first word in a header
 */
public record TrieSearch(int[] words, int at, int around, int position) implements PrefixSearch {
    @Override
    public void find(int[] h, int capacity, int from, int n, Room room, int[] result) {
        if (at < 0) {
            Arrays.fill(result, 0, n, ~at);
        } else {
            descend(h, capacity, from, n, room, result);
        }
        around(h, position * capacity + from, capacity, n, room, result);
    }

    /**
     * Goes down the tables: the prefix found agrees with the address in the bits they looked at.
     */
    private void descend(int[] h, int capacity, int from, int n, Room room, int[] result) {
        int[] w = words;
        int[] header = room.header;
        // All headers begin with the same bits.
        int root = at + PrefixTrieLayout.CHILDREN;
        int packed = w[at + PrefixTrieLayout.NODE];
        int base = (packed & PrefixTrieLayout.FIVE_BITS) * capacity + from;
        int shift = packed >>> PrefixTrieLayout.SHIFT_AT & PrefixTrieLayout.FIVE_BITS;
        int mask = -1 >>> 32 - (packed >>> PrefixTrieLayout.WIDTH_AT);
        for (int i = 0; i < n; i++) {
            result[i] = ~w[root + (h[base + i] >>> shift & mask)];
        }
        int active = 0;
        for (int i = 0; i < n; i++) {
            header[active] = i;
            active += Branchless.isNegative(result[i]);
        }
        while (active > 0) {
            for (int k = 0; k < active; k++) {
                int i = header[k];
                int table = ~result[i];
                int p = w[table + PrefixTrieLayout.NODE];
                int word = h[(p & PrefixTrieLayout.FIVE_BITS) * capacity + from + i];
                int value =
                        word >>> (p >>> PrefixTrieLayout.SHIFT_AT & PrefixTrieLayout.FIVE_BITS)
                                & -1 >>> 32 - (p >>> PrefixTrieLayout.WIDTH_AT);
                result[i] = ~w[table + PrefixTrieLayout.CHILDREN + value];
            }
            int left = 0;
            for (int k = 0; k < active; k++) {
                int i = header[k];
                header[left] = i;
                left += Branchless.isNegative(result[i]);
            }
            active = left;
        }
    }

    /**
     * Goes from each prefix to the longest one around it that the address is in: that ends before
     * the address differs from the first one.
     *
     * @param base place of the first header's first word of the address
     */
    private void around(int[] h, int base, int capacity, int n, Room room, int[] result) {
        int[] w = words;
        int count = w[around + PrefixTrieLayout.ADDRESS_WORDS];
        int width = count + 1;
        int records = around + PrefixTrieLayout.RECORDS;
        int[] equal = room.key;
        int[] own = room.read;
        if (count == 0) {
            return; // no rule looks at the address
        }
        compare(h, base, capacity, count, n, records, result, own, equal);
        int[] header = room.header;
        int misses = 0;
        for (int i = 0; i < n; i++) {
            header[misses] = i;
            misses += Branchless.lessThan(equal[i], own[i] & PrefixTrieLayout.LENGTH);
        }
        while (misses > 0) {
            int still = 0;
            for (int k = 0; k < misses; k++) {
                int i = header[k];
                int prefix = own[i] >>> PrefixTrieLayout.PARENT_AT;
                int record = w[records + prefix * width];
                result[i] = prefix;
                own[i] = record;
                header[still] = i;
                still += Branchless.lessThan(equal[i], record & PrefixTrieLayout.LENGTH);
            }
            misses = still;
        }
    }

    /** Reads each prefix's record, and counts the bits before the address differs from it. */
    private void compare(
            int[] h,
            int base,
            int capacity,
            int count,
            int n,
            int records,
            int[] prefix,
            int[] own,
            int[] equal) {
        int[] w = words;
        int width = count + 1;
        for (int i = 0; i < n; i++) {
            int record = records + prefix[i] * width;
            int at = base + i;
            // The bits of a word count where all words before it are equal.
            int bits = Integer.numberOfLeadingZeros(h[at] ^ w[record + 1]);
            if (count > 1) { // the same for all headers
                int differs = h[at + capacity] ^ w[record + 2];
                bits += Integer.numberOfLeadingZeros(differs) & -(bits >>> 5);
            }
            if (count > 2) {
                int differs = h[at + 2 * capacity] ^ w[record + 3];
                bits += Integer.numberOfLeadingZeros(differs) & -(bits >>> 6);
            }
            if (count > 3) {
                int differs = h[at + 3 * capacity] ^ w[record + 4];
                bits += Integer.numberOfLeadingZeros(differs) & -(bits + 32 >>> 7);
            }
            own[i] = w[record];
            equal[i] = bits;
        }
    }
}
