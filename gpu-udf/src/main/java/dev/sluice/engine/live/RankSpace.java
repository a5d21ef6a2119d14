package dev.sluice.engine.live;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives out ranks: smaller is better, higher priorities first, within a priority the elder first.
 * Each priority has an interval of ranks, and since a new rule is the youngest of its priority, it
 * takes the next one there. When an interval has run out, {@link #next} says so, and the caller
 * spreads all ranks again. Not thread-safe.
 */
final class RankSpace {
    private static final int TOP = Integer.MAX_VALUE - 1;

    /** Intervals by priority, best first: each ends where the next begins. */
    private final TreeMap<Integer, Interval> intervals =
            new TreeMap<>((a, b) -> Integer.compare(b, a));

    private static final class Interval {
        int next;
        int end;

        Interval(int next, int end) {
            this.next = next;
            this.end = end;
        }
    }

    /** Rank of the youngest rule of a priority, or -1: ranks must be spread first. */
    int next(int priority) {
        Interval interval = intervals.get(priority);
        if (interval == null) {
            interval = open(priority);
        }
        return interval == null || interval.next >= interval.end ? -1 : interval.next++;
    }

    /** A new priority takes the upper half of what the better neighbour has left. */
    private @Nullable Interval open(int priority) {
        Map.Entry<Integer, Interval> better = intervals.lowerEntry(priority);
        Interval interval;
        if (better == null) {
            Map.Entry<Integer, Interval> worse = intervals.higherEntry(priority);
            if (worse != null) {
                return null; // the best interval begins at 0
            }
            interval = new Interval(0, TOP);
        } else {
            Interval of = better.getValue();
            int middle = of.next + (of.end - of.next) / 2;
            if (middle <= of.next || middle >= of.end) {
                return null;
            }
            interval = new Interval(middle, of.end);
            of.end = middle;
        }
        intervals.put(priority, interval);
        return interval;
    }

    /**
     * Starts anew with intervals in proportion to what each priority holds.
     *
     * @param sizes rules by priority, those that are about to be added counted
     */
    void spread(Map<Integer, Integer> sizes) {
        intervals.clear();
        long total = 0;
        for (int size : sizes.values()) {
            total += size + 1L;
        }
        TreeMap<Integer, Integer> sorted = new TreeMap<>((a, b) -> Integer.compare(b, a));
        sorted.putAll(sizes);
        double scale = (double) TOP / Math.max(1, total);
        double at = 0;
        for (Map.Entry<Integer, Integer> entry : sorted.entrySet()) {
            int from = (int) at;
            at += (entry.getValue() + 1L) * scale;
            intervals.put(entry.getKey(), new Interval(from, (int) at));
        }
    }
}
