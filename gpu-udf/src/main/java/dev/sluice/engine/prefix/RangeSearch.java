package dev.sluice.engine.prefix;

import dev.sluice.engine.lookup.Branchless;
import java.util.Arrays;

/** Search of {@link PrefixRanges} in an image. Thread-safe. */
public final class RangeSearch implements PrefixSearch {
    /** Prefixes may need more than {@link #usualSteps}, but at most one in so many. */
    private static final int FEW = 10;

    private final int[] words;
    private final int at;
    private final int position;
    private final int parents;

    /** Steps of a binary search after which few headers need more. */
    private final int usualSteps;

    /**
     * A search.
     *
     * @param root offset of the root
     * @param parents offset of the parents
     * @param position position of the address in a header
     */
    public RangeSearch(int[] words, int root, int parents, int position) {
        this.words = words;
        this.at = root;
        this.parents = parents;
        this.position = position;
        this.usualSteps = usualSteps();
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

    /**
     * Binary search of the last prefix that starts at or before each address. If it does not
     * contain the address, the prefixes around it are tried, shorter and shorter. After the usual
     * steps of all headers ({@link SearchSteps}), the few in chunks with many prefixes are searched
     * one by one.
     */
    @Override
    public void find(int[] h, int capacity, int from, int n, Room room, int[] result) {
        int base = position * capacity + from;
        int[] w = words;
        int root = at;
        int ranges = PrefixRangesLayout.ranges(root);
        int[] read = room.read;
        int[] place = room.at;
        int[] count = room.count;
        int[] key = room.key;
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
        int[] header = room.header;
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
}
