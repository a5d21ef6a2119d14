package dev.sluice.operators.classify;

/**
 * How much earlier than a deadline a thread is to be woken so that it is there in time about three
 * times in four, learned from how it was. It follows the order of the times, not their size, by the
 * step of a stochastic approximation to a quantile (H. Robbins, S. Monro, "A Stochastic
 * Approximation Method", Annals of Mathematical Statistics 1951), so that a pause of milliseconds
 * moves it no further than a microsecond does. One thread learns, any may ask.
 */
final class WakingLead {
    /** A thread that is early looks at the clock until it is time: no longer than this. */
    static final long MOST_NANOS = 100_000;

    /** Nor for a larger share of what it waits. */
    private static final int SHARE = 20;

    private static final long LATE_STEP_NANOS = 300;
    private static final long EARLY_STEP_NANOS = 100;

    private volatile long nanos;

    /** The lead, in ns, for a thread that waits for so many ns. */
    long nanos(long waitNanos) {
        return Math.min(nanos, waitNanos / SHARE);
    }

    /**
     * Learns from one time.
     *
     * @param lateNanos how long after the time that it was to be woken at a thread woke
     */
    void woke(long lateNanos) {
        long step = lateNanos < nanos ? -EARLY_STEP_NANOS : LATE_STEP_NANOS;
        nanos = Math.min(MOST_NANOS, Math.max(0, nanos + step));
    }
}
