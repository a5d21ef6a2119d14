package dev.sluice.job.report;

import dev.sluice.schemas.codec.Column;
import java.util.Arrays;

/**
 * Counts of packets over time, by series, in bounded memory.
 *
 * <p>Buckets have one width, at first 1 ms. Where the times that were seen need more buckets than a
 * limit, neighbours are merged: the width grows to the next of a fixed list in which each divides
 * the next. All counts are exact. Not thread-safe.
 */
public final class TimeBuckets {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final long[] WIDTHS = {
        1,
        5,
        10,
        50,
        100,
        500,
        SECOND,
        5 * SECOND,
        10 * SECOND,
        30 * SECOND,
        MINUTE,
        5 * MINUTE,
        10 * MINUTE,
        30 * MINUTE,
        HOUR,
        6 * HOUR,
        12 * HOUR,
        DAY,
        10 * DAY,
        100 * DAY,
        1000 * DAY
    };

    private final int series;
    private final int most;
    private final long[] counts;
    private int width;

    /** Number of the first bucket since 1970; the buckets before and behind it are empty. */
    private long first;

    private int used;
    private long untimed;

    /**
     * Counts of 0.
     *
     * @param series number of series
     * @param most most buckets, at least 300, so that all times fit
     */
    public TimeBuckets(int series, int most) {
        this.series = series;
        this.most = most;
        counts = new long[series * most];
    }

    /**
     * Counts a packet.
     *
     * @param timeNs its time in ns since 1970 UTC, or {@link Column#NO_TIME}
     */
    public void add(int ofSeries, long timeNs) {
        if (timeNs == Column.NO_TIME) {
            untimed++;
            return;
        }
        long millis = Math.floorDiv(timeNs, MILLI);
        if (used == 0) {
            first = Math.floorDiv(millis, WIDTHS[width]);
            used = 1;
        }
        long at = Math.floorDiv(millis, WIDTHS[width]) - first;
        while (at < used - most || at >= most) {
            widen();
            at = Math.floorDiv(millis, WIDTHS[width]) - first;
        }
        if (at < 0) {
            int shift = (int) -at;
            System.arraycopy(counts, 0, counts, shift * series, used * series);
            Arrays.fill(counts, 0, shift * series, 0);
            first -= shift;
            used += shift;
            at = 0;
        }
        used = Math.max(used, (int) at + 1);
        counts[(int) at * series + ofSeries]++;
    }

    private void widen() {
        long factor = WIDTHS[width + 1] / WIDTHS[width];
        long newFirst = Math.floorDiv(first, factor);
        for (int i = 0; i < used; i++) {
            int to = (int) (Math.floorDiv(first + i, factor) - newFirst);
            for (int s = 0; s < series; s++) {
                long count = counts[i * series + s];
                counts[i * series + s] = 0;
                counts[to * series + s] += count; // at or before the bucket read, so done with
            }
        }
        used = (int) (Math.floorDiv(first + used - 1, factor) - newFirst) + 1;
        first = newFirst;
        width++;
    }

    /** Number of buckets from the first packet to the last. */
    public int size() {
        return used;
    }

    /** Width of a bucket in ms. */
    public long widthMillis() {
        return WIDTHS[width];
    }

    /** Time at which a bucket begins, in ms since 1970 UTC. */
    public long startMillis(int bucket) {
        return (first + bucket) * WIDTHS[width];
    }

    /** Number of packets of a series in a bucket. */
    public long count(int bucket, int ofSeries) {
        return counts[bucket * series + ofSeries];
    }

    /** Number of packets without a time, which no bucket has. */
    public long untimed() {
        return untimed;
    }
}
