package dev.sluice.engine.rfc;

import java.util.Arrays;

/**
 * In which rules a class differs from the class before it. These are few, so most entries of a
 * table that combines two others equal the entry before them and need not be computed.
 *
 * @param words indexes of the words that differ, where a class's rules lie 64 a word
 * @param bits what differs in each
 */
record ClassDifference(int[] words, long[] bits) {
    /** For each class its difference from the one before; the first differs in nothing. */
    static ClassDifference[] ofEach(long[][] rules) {
        ClassDifference[] since = new ClassDifference[rules.length];
        for (int r = 0; r < rules.length; r++) {
            since[r] = of(rules[Math.max(0, r - 1)], rules[r]);
        }
        return since;
    }

    private static ClassDifference of(long[] before, long[] after) {
        int[] words = new int[after.length];
        long[] bits = new long[after.length];
        int n = 0;
        for (int w = 0; w < after.length; w++) {
            if (before[w] != after[w]) {
                words[n] = w;
                bits[n++] = before[w] ^ after[w];
            }
        }
        return new ClassDifference(Arrays.copyOf(words, n), Arrays.copyOf(bits, n));
    }

    /** Returns whether any of these rules is one in which the classes differ. */
    boolean matters(long[] among) {
        for (int k = 0; k < words.length; k++) {
            if ((among[words[k]] & bits[k]) != 0) {
                return true;
            }
        }
        return false;
    }
}
