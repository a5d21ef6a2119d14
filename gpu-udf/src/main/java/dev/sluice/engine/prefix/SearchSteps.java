package dev.sluice.engine.prefix;

import dev.sluice.engine.lookup.Branchless;

/**
 * A step of the binary searches of a block of headers, as two loops: the first one only reads, so
 * that the processor overlaps cache misses; the JIT makes vector instructions of the second one. A
 * search that is done stays where it is. Thread-safe.
 */
public final class SearchSteps {
    private SearchSteps() {}

    /** Reads the word at each place. */
    public static void read(int[] w, int[] place, int n, int[] out) {
        for (int i = 0; i < n; i++) {
            out[i] = w[place[i]];
        }
    }

    /**
     * Goes on from what was read in the middle of what is left: to it, if it is not above the key.
     *
     * @param n searches
     * @param shift bits of a word to the right of what is compared
     * @param base offset of what is searched
     * @param found where each search has come to, beyond the base
     * @param left how many it may still be, from there on
     * @param place gets the offset to be read next
     */
    public static void step(
            int n,
            int[] key,
            int[] read,
            int shift,
            int base,
            int[] found,
            int[] left,
            int[] place) {
        for (int i = 0; i < n; i++) {
            int half = left[i] >>> 1;
            int at = found[i] + (half & ~Branchless.maskIfNegative(key[i] - (read[i] >>> shift)));
            int more = left[i] - half;
            found[i] = at;
            left[i] = more;
            place[i] = base + at + (more >>> 1);
        }
    }
}
