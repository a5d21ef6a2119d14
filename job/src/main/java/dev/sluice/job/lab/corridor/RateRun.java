package dev.sluice.job.lab.corridor;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts the verdicts of packets that come at one rate: those that leave the job from some seconds
 * after the first one on, for a time. Thread-safe.
 */
final class RateRun {
    private final long warmMillis;
    private final long millis;
    private final TreeMap<Long, Long> delays = new TreeMap<>();
    private Windows windows = new Windows(0);

    /** First moment that counts, ms since 1970 UTC. */
    private long from = Long.MAX_VALUE;

    private long lastNanos = System.nanoTime();

    RateRun(int warmSeconds, int seconds) {
        warmMillis = TimeUnit.SECONDS.toMillis(warmSeconds);
        millis = TimeUnit.SECONDS.toMillis(seconds);
    }

    synchronized void take(List<VerdictReaders.Read> messages) {
        lastNanos = System.nanoTime();
        for (VerdictReaders.Read read : messages) {
            if (from == Long.MAX_VALUE) {
                from = read.leftMillis() + warmMillis;
                windows = new Windows(from);
            }
            if (read.leftMillis() >= from && read.leftMillis() < from + millis) {
                windows.add(read.leftMillis(), read.headers());
                if (read.sentMillis() != 0) {
                    delays.merge(read.leftMillis() - read.sentMillis(), 1L, Long::sum);
                }
            }
        }
    }

    /** Whether verdicts count by now. */
    synchronized boolean begun() {
        return System.currentTimeMillis() >= from;
    }

    /** Whether none that leaves from now on counts. */
    synchronized boolean over() {
        return begun() && System.currentTimeMillis() >= from + millis;
    }

    /** Time since messages were last read, ns. */
    synchronized long silentNanos() {
        return System.nanoTime() - lastNanos;
    }

    synchronized Millis delays() {
        return Millis.ofCounts(delays);
    }

    synchronized Windows windows() {
        return windows;
    }

    double seconds() {
        return millis / 1e3;
    }
}
