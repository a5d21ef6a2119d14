package dev.sluice.engine.crossproduct;

import dev.sluice.engine.lookup.Branchless;
import dev.sluice.engine.rfc.RfcTables;
import java.util.Arrays;

/** Finds the longest prefix around one address for a block of headers. Thread-safe. */
final class AddressSearch {
    /** Prefixes may need more than {@link #usualSteps}, but at most one in so many. */
    private static final int FEW = 10;

    private final int[] words;
    private final int form;
    private final int at;
    private final int position;
    private final int rows;
    private final int rowWords;

    private final int parents;

    /** Steps of a binary search after which few headers need more. */
    private final int usualSteps;

    /** Room of one thread for a block: each header's prefix, and lists of headers not yet done. */
    static final class Scratch {
        final int[] found = new int[RfcTables.BLOCK];
        final int[] header = new int[RfcTables.BLOCK + 1];
        final int[] at = new int[RfcTables.BLOCK + 1];
        final int[] count = new int[RfcTables.BLOCK];
        final int[] key = new int[RfcTables.BLOCK];
        final int[] read = new int[RfcTables.BLOCK];
    }

    AddressSearch(int[] words, int record) {
        this.words = words;
        form = words[record + CrossproductLayout.FORM];
        at = words[record + CrossproductLayout.AT];
        position = words[record + CrossproductLayout.POSITION];
        rows = words[record + CrossproductLayout.ROWS];
        rowWords = words[record + CrossproductLayout.ROW_WORDS];
        parents = words[record + CrossproductLayout.PARENTS];
        usualSteps = form == CrossproductLayout.RANGES ? usualSteps() : 0;
    }

    private int usualSteps() {
        long[] prefixes = new long[33];
        long open = 0;
        for (int chunk = 0; chunk < PrefixRangesLayout.CHUNKS; chunk++) {
            int count = words[at + chunk] & PrefixRangesLayout.COUNT;
            if (count > 1) {
                prefixes[32 - Integer.numberOfLeadingZeros(count - 1)] += count;
            }
            open += count;
        }
        long few = open / FEW;
        int steps = 0;
        open = Arrays.stream(prefixes).sum();
        while (open > few) {
            open -= prefixes[++steps];
        }
        return steps;
    }

    /** Returns the size of a row in words. */
    int rowWords() {
        return rowWords;
    }

    /**
     * Reads the row of each header's prefix. It has, for each group, the number of the group's
     * longest prefix around the address.
     *
     * @param h flat memory of the batch
     * @param capacity distance of two words of a header there
     * @param from first header of the block
     * @param n headers of the block
     * @param steps the entries of the steps' tables, from which levels give the prefix
     * @param row gets the rows: word w of header i at {@code [w][i]}
     */
    void rows(int[] h, int capacity, int from, int n, int[][] steps, Scratch scratch, int[][] row) {
        int[] found = scratch.found;
        if (form == CrossproductLayout.LEVELS) {
            found = steps[at];
        } else if (form == CrossproductLayout.TRIE) {
            walk(h, capacity, from, n, scratch, found);
        } else {
            search(h, position * capacity + from, n, scratch, found);
        }
        int[] w = words;
        int first = rows;
        if (rowWords == 1) {
            int[] only = row[0];
            for (int i = 0; i < n; i++) {
                only[i] = w[first + found[i]];
            }
        } else {
            for (int word = 0; word < rowWords; word += 2) {
                int[] a = row[word];
                int[] b = row[word + 1];
                for (int i = 0; i < n; i++) {
                    int r = first + found[i] * rowWords + word;
                    a[i] = w[r];
                    b[i] = w[r + 1];
                }
            }
        }
    }

    /**
     * Binary search of the last prefix that starts at or before each address. If it does not
     * contain the address, the prefixes around it are tried, shorter and shorter. After the usual
     * steps of all headers ({@link SearchSteps}), the few in chunks with many prefixes are searched
     * one by one.
     */
    private void search(int[] h, int base, int n, Scratch scratch, int[] result) {
        int[] w = words;
        int root = at;
        int ranges = PrefixRangesLayout.ranges(root);
        int[] read = scratch.read;
        int[] place = scratch.at;
        int[] count = scratch.count;
        int[] key = scratch.key;
        for (int i = 0; i < n; i++) {
            read[i] = w[root + (h[base + i] >>> 32 - PrefixRangesLayout.CHUNK_BITS)];
        }
        for (int i = 0; i < n; i++) {
            int left = read[i] & PrefixRangesLayout.COUNT;
            int prefix = read[i] >>> PrefixRangesLayout.COUNT_BITS;
            key[i] = h[base + i] & PrefixRangesLayout.WITHIN_CHUNK;
            result[i] = prefix;
            count[i] = left;
            place[i] = ranges + prefix + (left >>> 1);
        }
        for (int step = 0; step < usualSteps; step++) {
            SearchSteps.read(w, place, n, read);
            SearchSteps.step(
                    n, key, read, PrefixRangesLayout.FIRST_SHIFT, ranges, result, count, place);
        }
        int[] header = scratch.header;
        int open = 0;
        for (int i = 0; i < n; i++) {
            header[open] = i;
            open += Branchless.lessThan(1, count[i]);
        }
        for (int k = 0; k < open; k++) {
            int i = header[k];
            int prefix = result[i];
            int left = count[i];
            while (left > 1) {
                int half = left >>> 1;
                int after = key[i] - (w[ranges + prefix + half] >>> PrefixRangesLayout.FIRST_SHIFT);
                prefix += half & ~Branchless.maskIfNegative(after);
                left -= half;
            }
            result[i] = prefix;
            place[i] = ranges + prefix;
        }
        SearchSteps.read(w, place, n, read);
        int misses = 0;
        for (int i = 0; i < n; i++) {
            header[misses] = i;
            misses += Branchless.isNegative(outside(key[i], read[i]) & -count[i]);
        }
        while (misses > 0) {
            int still = 0;
            for (int k = 0; k < misses; k++) {
                int i = header[k];
                int parent = w[parents + result[i]];
                int prefix = parent & PrefixRangesLayout.PARENT;
                result[i] = prefix;
                header[still] = i;
                still += Branchless.isNegative(outside(key[i], w[ranges + prefix]) & ~parent);
            }
            misses = still;
        }
    }

    /** Negative if the lower half of an address is not within a range. */
    private static int outside(int key, int range) {
        return key - (range >>> PrefixRangesLayout.FIRST_SHIFT)
                | (range & PrefixRangesLayout.LAST) - key;
    }

    /** Longest-prefix match of each header of the block: 1 + index of the prefix, 0 for none. */
    private void walk(int[] h, int capacity, int from, int n, Scratch scratch, int[] result) {
        if (at < 0) {
            Arrays.fill(result, 0, n, ~at);
        } else {
            descend(h, capacity, from, n, scratch, result);
        }
        around(h, position * capacity + from, capacity, n, scratch, result);
    }

    /**
     * Goes down the tables: the prefix found agrees with the address in the bits they looked at.
     */
    private void descend(int[] h, int capacity, int from, int n, Scratch scratch, int[] result) {
        int[] w = words;
        int[] header = scratch.header;
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
    private void around(int[] h, int base, int capacity, int n, Scratch scratch, int[] result) {
        int[] w = words;
        int count = w[parents + PrefixTrieLayout.ADDRESS_WORDS];
        int width = count + 1;
        int records = parents + PrefixTrieLayout.RECORDS;
        int[] equal = scratch.key;
        int[] own = scratch.read;
        if (count == 0) {
            return; // no rule looks at the address
        }
        compare(h, base, capacity, count, n, records, result, own, equal);
        int[] header = scratch.header;
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
