package dev.sluice.engine.prefix;

import java.util.Arrays;

/**
 * Prefixes below a node of a trie, spread over the values of the bits that the node looks at.
 *
 * @param best by value: 1 + index of the longest prefix that ends within the node or before it
 * @param first by value: index of the first prefix that goes on behind the node
 * @param last by value: 1 + index of the last such prefix, 0 if there is none
 */
record PrefixChildren(int[] best, int[] first, int[] last) {
    /**
     * Spreads prefixes from..to-1, all longer than the depth and equal before it, over the values
     * of the next bits.
     *
     * @param set in ascending order
     * @param width bits of the node; they lie within one word
     * @param best 1 + index of the longest prefix that ends at or before the depth
     */
    static PrefixChildren of(PrefixSet set, int from, int to, int depth, int width, int best) {
        int[] bestOf = new int[1 << width];
        Arrays.fill(bestOf, best);
        int[] first = new int[1 << width];
        int[] last = new int[1 << width];
        for (int i = from; i < to; i++) {
            Prefix p = set.prefixes[i];
            int value = p.word(depth >>> 5) << (depth & 31) >>> 32 - width;
            int free = depth + width - p.length();
            if (free >= 0) {
                // In ascending order a longer prefix comes later, and overwrites.
                Arrays.fill(bestOf, value, value + (1 << free), i + 1);
            } else {
                first[value] = last[value] == 0 ? i : first[value];
                last[value] = i + 1;
            }
        }
        return new PrefixChildren(bestOf, first, last);
    }
}
