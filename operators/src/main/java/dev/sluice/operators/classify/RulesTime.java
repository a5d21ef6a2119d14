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
 * @param live in event time: whether rules go on coming, so that packets wait while those of their
 *     time are not known; else the history is what it is when the job begins
 * @param idleNs in a live job: silence of the rules topic in ns after which packets wait no more; 0
 *     for none
 */
public record RulesTime(boolean event, long latenessNs, boolean live, long idleNs)
        implements Serializable {
    /** The newest version that is ready. */
    public static final RulesTime PROCESSING = new RulesTime(false, 0, false, 0);

    /** Checks the times. */
    public RulesTime {
        if (latenessNs < 0 || !event && latenessNs != 0) {
            throw new IllegalArgumentException(
                    "an allowed lateness of " + latenessNs + " ns, in event time: " + event);
        }
        if (live && !event || idleNs < 0 || !live && idleNs != 0) {
            throw new IllegalArgumentException(
                    "silence of " + idleNs + " ns, in a live job in event time: " + live);
        }
    }

    /** The version that was in force at the packet's own time, of those there are. */
    public static RulesTime event(Duration allowedLateness) {
        return new RulesTime(true, allowedLateness.toNanos(), false, 0);
    }

    /**
     * The version that was in force at the packet's own time, of those there are and those to come.
     *
     * @param idle silence of the rules topic after which packets wait for it no more; zero: none
     */
    public static RulesTime live(Duration allowedLateness, Duration idle) {
        return new RulesTime(true, allowedLateness.toNanos(), true, idle.toNanos());
    }
}
