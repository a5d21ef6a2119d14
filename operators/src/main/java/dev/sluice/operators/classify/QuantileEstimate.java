package dev.sluice.operators.classify;

/**
 * Running estimate of a quantile of observed durations. It follows their order, not their size, by
 * the step of a stochastic approximation to a quantile (H. Robbins, S. Monro, "A Stochastic
 * Approximation Method", Annals of Mathematical Statistics 1951). So a pause of milliseconds moves
 * it no further than a microsecond does. One thread learns, any may ask.
 */
final class QuantileEstimate {
    /** Sum of one step up and one step down: ten thousand steps cover 2 ms. */
    private static final long STEPS_NANOS = 400;

    private final long up;
    private final long down;
    private final long most;
    private volatile long nanos;

    /**
     * An estimate of 0, before the first duration.
     *
     * @param percent of the durations that are below it
     * @param mostNanos it is never longer than this
     */
    QuantileEstimate(int percent, long mostNanos) {
        up = STEPS_NANOS * percent / 100;
        down = STEPS_NANOS - up;
        most = mostNanos;
    }

    /** The estimate, in ns. */
    long nanos() {
        return nanos;
    }

    /** Learns from a duration, in ns. */
    void took(long time) {
        long moved = time < nanos ? nanos - down : nanos + up;
        nanos = Math.min(most, Math.max(0, moved));
    }
}
