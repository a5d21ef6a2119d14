package dev.sluice.job.lab.corridor;

import java.util.List;

/** What has been read of a contender's verdicts. Thread-safe. */
final class Arrivals implements VerdictReaders.Taker {
    private final Windows windows;
    private long bytes;
    private long lastNanos;

    /** Nothing yet, of a contender that starts at a moment, ms since 1970 UTC. */
    Arrivals(long startMillis) {
        windows = new Windows(startMillis);
    }

    @Override
    public synchronized void take(List<VerdictReaders.Read> messages) {
        for (VerdictReaders.Read read : messages) {
            windows.add(read.leftMillis(), read.headers());
            bytes += read.bytes();
        }
        lastNanos = System.nanoTime();
    }

    /** Packets judged. */
    synchronized long total() {
        return windows.total();
    }

    /** Bytes of the verdicts' messages. */
    synchronized long bytes() {
        return bytes;
    }

    /** When the last was read, {@link System#nanoTime}. */
    synchronized long lastNanos() {
        return lastNanos;
    }

    /** When they left; to be asked for when all have come. */
    synchronized Windows windows() {
        return windows;
    }
}
