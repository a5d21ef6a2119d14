package dev.sluice.lab.kit;

import org.HdrHistogram.Histogram;

/**
 * Percentiles of many durations in any one unit, each exact to one part in 1,000. Not thread-safe.
 */
public final class Durations {
    private static final int DIGITS = 3;

    private final Histogram histogram = new Histogram(DIGITS);

    /** Adds a duration; a negative one, of clocks that differ, counts as 0. */
    public void add(long duration) {
        histogram.recordValue(Math.max(0, duration));
    }

    /** The number of durations. */
    public long count() {
        return histogram.getTotalCount();
    }

    /**
     * The duration that so many of 100 do not exceed; NaN where there is none.
     *
     * @param percent from 0 to 100
     */
    public double percentile(double percent) {
        return count() == 0
                ? Double.NaN
                : Math.min(histogram.getValueAtPercentile(percent), histogram.getMaxValue());
    }

    /** The longest duration; NaN where there is none. */
    public double max() {
        return count() == 0 ? Double.NaN : histogram.getMaxValue();
    }
}
