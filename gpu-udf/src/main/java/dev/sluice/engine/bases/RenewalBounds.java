package dev.sluice.engine.bases;

/**
 * Bounds from which on an engine compiles a new base in the background.
 *
 * @param changes rules that a look-up cannot find in the base alone, or must not, up to which the
 *     base stays
 * @param share the same as a share of all rules: one in so many; the larger bound counts
 * @param firstPauseMillis ms to the next try after one failed; twice as long after each more
 * @param longestPauseMillis longest of these pauses
 */
public record RenewalBounds(
        int changes, int share, long firstPauseMillis, long longestPauseMillis) {
    /** Bounds of an engine where nobody asks for others. */
    public static final RenewalBounds DEFAULTS = new RenewalBounds(64, 64, 1_000, 300_000);

    /** Cores up to which compiling rests as long as it works. */
    private static final int CORES_TO_SPARE = 4;

    /** Most rules beside the base of so many rules. */
    int most(int rules) {
        return Math.max(changes, rules / share);
    }

    /**
     * Nanoseconds to wait after a base that was compiled in some: as many, so that compiling takes
     * half of a core at most, and where cores are many less, as look-ups are the quicker the newer
     * their base is.
     */
    static long restNanos(long nanos, int cores) {
        return nanos * CORES_TO_SPARE / Math.max(CORES_TO_SPARE, cores);
    }

    /** ms to wait after so many failures in a row. */
    long pauseMillis(int failures) {
        return Math.min(longestPauseMillis, firstPauseMillis << Math.min(20, failures - 1));
    }
}
