package dev.sluice.engine;

/**
 * When an engine compiles a new base in the background.
 *
 * @param changes rules that a look-up cannot find in the base alone, or must not, up to which the
 *     base stays
 * @param share the same as a share of all rules: one in so many; the larger bound counts
 * @param firstPauseMillis ms to the next try after one failed; twice as long after each more
 * @param longestPauseMillis longest of these pauses
 */
record RenewalBounds(int changes, int share, long firstPauseMillis, long longestPauseMillis) {
    static final RenewalBounds DEFAULTS = new RenewalBounds(256, 64, 1_000, 300_000);

    /** Most rules beside the base of so many rules. */
    int most(int rules) {
        return Math.max(changes, rules / share);
    }

    /** ms to wait after so many failures in a row. */
    long pauseMillis(int failures) {
        return Math.min(longestPauseMillis, firstPauseMillis << Math.min(20, failures - 1));
    }
}
