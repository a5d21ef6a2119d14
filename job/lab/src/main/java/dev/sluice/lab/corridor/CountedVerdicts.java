package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.lab.kit.Durations;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Verdicts that left a job, counted in a span of time. Thread-safe. */
final class CountedVerdicts {
    private final long warmMillis;
    private final long millis;
    private final Durations delays = new Durations();
    private final TreeMap<Long, Long> firstOf = new TreeMap<>();
    private final TreeMap<Long, Long> lastOf = new TreeMap<>();
    private Windows windows;
    private long from;
    private long bytes;
    private long lastNanos = System.nanoTime();

    /**
     * A message of verdicts.
     *
     * @param leftMillis when it left the job, ms since 1970 UTC
     * @param headers that it judges
     * @param bytes of the message
     * @param sentMillis when the last of them was sent, ms since 1970 UTC; 0 where nobody asks, or
     *     the message does not say
     * @param version of the rules that judged them; 0 where nobody asks
     */
    record Read(long leftMillis, int headers, int bytes, long sentMillis, long version) {}

    private CountedVerdicts(long from, long warmMillis, long millis) {
        this.from = from;
        this.warmMillis = warmMillis;
        this.millis = millis;
        this.windows = new Windows(from);
    }

    /** Counts all from a moment on, in ms since 1970 UTC. */
    static CountedVerdicts from(long millis) {
        return new CountedVerdicts(millis, 0, Long.MAX_VALUE / 2 - millis);
    }

    /** Counts those of some seconds, which begin some seconds behind the first. */
    static CountedVerdicts behindTheFirst(int warmSeconds, int seconds) {
        return new CountedVerdicts(
                Long.MAX_VALUE / 2,
                TimeUnit.SECONDS.toMillis(warmSeconds),
                TimeUnit.SECONDS.toMillis(seconds));
    }

    /** Takes a message that was read. */
    synchronized void take(Read read) {
        lastNanos = System.nanoTime();
        if (from == Long.MAX_VALUE / 2) {
            from = read.leftMillis() + warmMillis;
            windows = new Windows(from);
        }
        bytes += read.bytes();
        firstOf.merge(read.version(), read.leftMillis(), Math::min);
        lastOf.merge(read.version(), read.leftMillis(), Math::max);
        if (read.leftMillis() >= from && read.leftMillis() < from + millis) {
            windows.add(read.leftMillis(), read.headers());
            if (read.sentMillis() != 0) {
                delays.add(read.leftMillis() - read.sentMillis());
            }
        }
    }

    /** Tells whether verdicts count by now. */
    synchronized boolean begun() {
        return System.currentTimeMillis() >= from;
    }

    /** Tells whether none that leaves from now on counts. */
    synchronized boolean over() {
        return begun() && System.currentTimeMillis() >= from + millis;
    }

    /** Time since messages were last read, in ns. */
    synchronized long silentNanos() {
        return System.nanoTime() - lastNanos;
    }

    /** Time at which messages were last read, as {@link System#nanoTime} has it. */
    synchronized long lastNanos() {
        return lastNanos;
    }

    /** Packets judged. */
    synchronized long total() {
        return windows.total();
    }

    /** Bytes of all verdicts' messages. */
    synchronized long bytes() {
        return bytes;
    }

    /** Times at which the counted verdicts left. */
    synchronized Windows windows() {
        return windows;
    }

    /** Times from the sending of packets to the leaving of their verdicts, in ms. */
    synchronized Durations delays() {
        return delays;
    }

    /**
     * Adds, of versions that were committed, the times from the commit to the first verdict under
     * the version or a later one, and to the last verdict under an older one.
     *
     * @param commits time of each version's commit, in ms since 1970 UTC
     */
    synchronized void describe(NavigableMap<Long, Long> commits, ObjectNode node) {
        Durations visible = new Durations();
        Durations everywhere = new Durations();
        commits.forEach(
                (version, commit) -> {
                    firstOf.tailMap(version, true).values().stream()
                            .min(Long::compare)
                            .ifPresent(first -> visible.add(first - commit));
                    if (lastOf.ceilingKey(version) != null) {
                        lastOf.headMap(version, false).values().stream()
                                .max(Long::compare)
                                .ifPresent(last -> everywhere.add(last - commit));
                    }
                });
        describe(node, "visibleMillis", visible);
        describe(node, "everywhereMillis", everywhere);
        describe(node, "heldMillis", delays);
    }

    private static void describe(ObjectNode node, String name, Durations durations) {
        if (durations.count() > 0) {
            node.putObject(name)
                    .put("p50", durations.percentile(50))
                    .put("p99", durations.percentile(99))
                    .put("max", durations.max());
        }
    }
}
