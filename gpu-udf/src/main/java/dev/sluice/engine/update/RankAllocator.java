package dev.sluice.engine.update;

import dev.sluice.engine.memory.LongIntMap;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Gives out ranks: smaller is better, higher priorities first, within a priority the elder first.
 * Each priority has an interval of ranks, and since a new rule is the youngest of its priority, it
 * takes the next one there. When an interval has run out, {@link #next} says so, and the caller
 * spreads all ranks again. Not thread-safe.
 */
final class RankAllocator {
    private static final int TOP = Integer.MAX_VALUE - 1;

    /** Priorities that have an interval, best first: each interval ends where the next begins. */
    private final TreeSet<Integer> priorities = new TreeSet<>(Comparator.reverseOrder());

    /** Place of each priority in {@link #intervals}, plus 1. */
    private LongIntMap places = new LongIntMap();

    /** Next rank and end of each interval: upper and lower half. */
    private long[] intervals = new long[16];

    private static long interval(int next, int end) {
        return (long) next << 32 | end;
    }

    private static int begin(long interval) {
        return (int) (interval >> 32);
    }

    private static int end(long interval) {
        return (int) interval;
    }

    private void put(int priority, long interval) {
        int place = places.size();
        if (place == intervals.length) {
            intervals = Arrays.copyOf(intervals, 2 * place);
        }
        intervals[place] = interval;
        places.put(priority, place + 1);
        priorities.add(priority);
    }

    /** Rank of the youngest rule of a priority, or -1: ranks must be spread first. */
    int next(int priority) {
        int place = places.get(priority) - 1;
        if (place < 0) {
            if (!open(priority)) {
                return -1;
            }
            place = places.get(priority) - 1;
        }
        long of = intervals[place];
        if (begin(of) >= end(of)) {
            return -1;
        }
        intervals[place] = of + (1L << 32);
        return begin(of);
    }

    /** A new priority takes the upper half of what the better neighbour has left. */
    private boolean open(int priority) {
        Integer better = priorities.lower(priority);
        if (better == null) {
            if (priorities.higher(priority) != null) {
                return false; // the best interval begins at 0
            }
            put(priority, interval(0, TOP));
            return true;
        }
        int place = places.get(better) - 1;
        long of = intervals[place];
        int middle = begin(of) + (end(of) - begin(of)) / 2;
        if (middle <= begin(of) || middle >= end(of)) {
            return false;
        }
        put(priority, interval(middle, end(of)));
        intervals[place] = interval(begin(of), middle);
        return true;
    }

    /**
     * Starts anew with intervals in proportion to what each priority holds.
     *
     * @param sizes rules by priority, those that are about to be added counted
     */
    void spread(Map<Integer, Integer> sizes) {
        places = new LongIntMap();
        priorities.clear();
        priorities.addAll(sizes.keySet());
        long total = 0;
        for (int size : sizes.values()) {
            total += size + 1L;
        }
        double scale = (double) TOP / Math.max(1, total);
        double at = 0;
        for (Integer priority : List.copyOf(priorities)) {
            int from = (int) at;
            at += (sizes.getOrDefault(priority, 0) + 1L) * scale;
            put(priority, interval(from, (int) at));
        }
    }
}
