package dev.sluice.lab.corridor;

import dev.sluice.lab.kit.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * When verdicts left a job, counted in windows of a tenth of a second by the times of their Kafka
 * messages. Not thread-safe.
 */
final class Windows {
    private static final long TENTH_MILLIS = 100;

    private final long startMillis;
    private final TreeMap<Long, Long> tenths = new TreeMap<>();
    private long total;

    /** Windows from a moment on, ms since 1970 UTC. */
    Windows(long startMillis) {
        this.startMillis = startMillis;
    }

    /** Headers whose verdicts left at a time, ms since 1970 UTC. */
    void add(long millis, long headers) {
        tenths.merge(Math.max(0, millis - startMillis) / TENTH_MILLIS, headers, Long::sum);
        total += headers;
    }

    long total() {
        return total;
    }

    /** Seconds from the start to the first verdict. */
    double firstSeconds() {
        return tenths.isEmpty() ? 0 : tenths.firstKey() / 10.0;
    }

    /** Seconds from the start until a share of all verdicts had left, to a tenth. */
    double secondsTo(double share) {
        long left = 0;
        for (var tenth : tenths.entrySet()) {
            left += tenth.getValue();
            if (left >= share * total) {
                return (tenth.getKey() + 1) / 10.0;
            }
        }
        return 0;
    }

    /**
     * Headers a second from when a share of all verdicts had left to when the last had; where they
     * left in the same tenth of a second, the rate in that; 0 if there are none.
     */
    double rateAfter(double share) {
        if (total == 0) {
            return 0;
        }
        double from = secondsTo(share);
        double seconds = secondsTo(1) - from;
        if (seconds < 0.05) {
            return tenths.lastEntry().getValue() * 10.0;
        }
        long before = 0;
        for (var tenth : tenths.headMap(Math.round(from * 10)).values()) {
            before += tenth;
        }
        return (total - before) / seconds;
    }

    /** Headers of each whole second from the start to the last verdict's. */
    List<Long> seconds() {
        List<Long> seconds = new ArrayList<>();
        for (var tenth : tenths.entrySet()) {
            int second = (int) (tenth.getKey() / 10);
            while (seconds.size() <= second) {
                seconds.add(0L);
            }
            seconds.set(second, seconds.get(second) + tenth.getValue());
        }
        return seconds;
    }

    /** Headers of each whole second as samples; 0 where nothing left. */
    Samples rates() {
        return Samples.of(tenths.isEmpty() ? List.of(0L) : seconds(), Long::doubleValue);
    }

    /** The median of the whole seconds after a share of all verdicts; 0 where there is none. */
    double medianAfter(double share) {
        List<Long> seconds = seconds();
        int from = (int) Math.ceil(secondsTo(share));
        int last = seconds.size() - 1;
        return from >= last
                ? 0
                : Samples.of(seconds.subList(from, last), Long::doubleValue).median();
    }

    /** Seconds from the start to the end of the first second that reached a rate; -1: none did. */
    double secondsToReach(double rate) {
        List<Long> seconds = seconds();
        for (int i = 0; i < seconds.size(); i++) {
            if (seconds.get(i) >= rate) {
                return i + 1;
            }
        }
        return -1;
    }
}
