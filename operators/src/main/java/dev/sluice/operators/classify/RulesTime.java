package dev.sluice.operators.classify;

import java.io.Serializable;
import java.time.Duration;

/**
 * Which version of the rules judges a packet. Immutable.
 *
 * @param event whether it is the one that was in force at the packet's own time; else it is the
 *     newest that is ready
 * @param latenessNs in event time: ns that a packet may be older than the largest time of its flow
 *     shard so far; older ones are judged at that bound
 */
public record RulesTime(boolean event, long latenessNs) implements Serializable {
    /** The newest version that is ready. */
    public static final RulesTime PROCESSING = new RulesTime(false, 0);

    /** Checks the lateness. */
    public RulesTime {
        if (latenessNs < 0 || !event && latenessNs != 0) {
            throw new IllegalArgumentException(
                    "an allowed lateness of " + latenessNs + " ns, in event time: " + event);
        }
    }

    /** The version that was in force at the packet's own time. */
    public static RulesTime event(Duration allowedLateness) {
        return new RulesTime(true, allowedLateness.toNanos());
    }
}
