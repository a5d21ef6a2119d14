package dev.sluice.job.lab.corridor;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Times in ms; NaN where there are none.
 *
 * @param p50 half of them are at most this
 * @param p99 99 of 100 are
 */
public record Millis(double p50, double p99, double max) {
    /** Those that are counted. */
    static Millis ofCounts(SortedMap<Long, Long> counts) {
        long all = counts.values().stream().mapToLong(Long::longValue).sum();
        return all == 0
                ? of(List.of())
                : new Millis(
                        at(counts, (all - 1) / 2),
                        at(counts, (long) Math.ceil(0.99 * all) - 1),
                        counts.lastKey());
    }

    /** The one before which lie so many, in their order. */
    private static long at(SortedMap<Long, Long> counts, long before) {
        long left = before;
        for (Map.Entry<Long, Long> entry : counts.entrySet()) {
            left -= entry.getValue();
            if (left < 0) {
                return entry.getKey();
            }
        }
        return counts.lastKey();
    }

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
