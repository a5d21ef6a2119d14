package dev.sluice.job.lab.corridor;

import java.util.List;

/**
 * Times in ms; NaN where there are none.
 *
 * @param p50 half of them are at most this
 * @param p99 99 of 100 are
 */
public record Millis(double p50, double p99, double max) {
    /** Those of a list. */
    public static Millis of(List<Long> values) {
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        if (sorted.length == 0) {
            return new Millis(Double.NaN, Double.NaN, Double.NaN);
        }
        return new Millis(
                sorted[(sorted.length - 1) / 2],
                sorted[(int) Math.ceil(0.99 * sorted.length) - 1],
                sorted[sorted.length - 1]);
    }
}
