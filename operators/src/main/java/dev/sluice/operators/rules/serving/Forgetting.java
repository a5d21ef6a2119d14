package dev.sluice.operators.rules.serving;

import dev.sluice.operators.rules.history.HistoryFollower;
import dev.sluice.operators.rules.history.RecordedHistory;
import dev.sluice.operators.rules.history.Timeline;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Has a long history forget the versions that no packet can ask for any more: those that were
 * replaced well before the newest packet of the flow shard that is furthest behind. A snapshot
 * behind them must have been in use, as versions that cannot be served fall back to it.
 *
 * <p>Used by the thread that brings messages.
 *
 * @param latenessNs how much older a packet may be than the largest time of its flow shard
 * @param longBytes bytes of messages beyond which a history is long
 */
record Forgetting(
        RecordedHistory history,
        HistoryFollower follower,
        VersionEngines engines,
        long latenessNs,
        long longBytes) {
    /** Least time before a flow shard's newest packet that is not forgotten. */
    static final long LEAST_REACH_NS = TimeUnit.HOURS.toNanos(1);

    /**
     * Forgets what none of the tasks needs.
     *
     * @param oldestNs the smallest of the tasks' times
     */
    void forget(LongSupplier oldestNs) {
        if (history.bytes() <= longBytes) {
            return;
        }
        long reachNs = Math.max(LEAST_REACH_NS, latenessNs);
        long oldest = oldestNs.getAsLong();
        if (oldest == Long.MAX_VALUE || oldest < Long.MIN_VALUE + reachNs) {
            return; // no packet has come, or a task does not know its oldest yet
        }
        Timeline timeline = follower.timeline();
        int place = timeline.placeAt(oldest - reachNs);
        int snapshot = place <= 0 ? -1 : history.snapshotUpTo(timeline.index(place));
        while (snapshot >= 0 && !engines.hasServed(snapshot)) {
            snapshot = history.snapshotUpTo(snapshot - 1);
        }
        if (snapshot > timeline.index(0)) {
            int first = snapshot;
            follower.forget(first);
            engines.forget(first, () -> history.forget(first));
        }
    }
}
