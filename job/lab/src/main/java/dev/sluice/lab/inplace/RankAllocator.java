package dev.sluice.lab.inplace;

import dev.sluice.engine.memory.LongIntMap;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Gives rules their ranks, 0 to 2^31 - 3: a smaller rank is better; higher priorities have smaller
 * ones, and within a priority older rules. Each priority owns an interval of ranks and gives them
 * out in ascending order, because a new rule is always the youngest of its priority. When an
 * interval has none left, {@link #next} returns -1, and the caller gives all rules new ranks after
 * {@link #spread}. Not thread-safe.
 */
final class RankAllocator {
    private static final int TOP = Integer.MAX_VALUE - 1;

    /** Priorities that have an interval, best first: each interval ends where the next begins. */
    private final TreeSet<Integer> priorities = new TreeSet<>(Comparator.reverseOrder());

    /** Index of each priority's interval in {@link #intervals}, + 1. */
    private LongIntMap places = new LongIntMap();

    /** An interval: its next rank in the upper 32 bits, the end, exclusive, in the lower ones. */
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

    /** Rank for a new rule of a priority, or -1 if there is none left: see {@link #spread}. */
    int next(int priority) {
        int place = places.get(priority) - 1;
        if (place < 0) {
            if (!open(priority)) {
                return -1;
            }
            place = places.get(priority) - 1;
        }
        long interval = intervals[place];
        if (begin(interval) >= end(interval)) {
            return -1;
        }
        intervals[place] = interval + (1L << 32);
        return begin(interval);
    }

    /**
     * Gives a new priority the upper half of what the next better priority has left; false if that
     * is nothing, or if the priority is better than all others, whose interval begins at 0.
     */
    private boolean open(int priority) {
        Integer better = priorities.lower(priority);
        if (better == null) {
            if (priorities.higher(priority) != null) {
                return false;
            }
            put(priority, interval(0, TOP));
            return true;
        }
        int place = places.get(better) - 1;
        long shared = intervals[place];
        int middle = begin(shared) + (end(shared) - begin(shared)) / 2;
        if (middle <= begin(shared) || middle >= end(shared)) {
            return false;
        }
        put(priority, interval(middle, end(shared)));
        intervals[place] = interval(begin(shared), middle);
        return true;
    }

    /**
     * Forgets all ranks given out and divides the ranks among priorities in proportion to their
     * numbers of rules. The caller then asks {@link #next} for a rank for every rule, in order.
     *
     * @param sizes number of rules of each priority, with those that are about to be added
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
