package dev.sluice.job.ruletopic;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.topic.EffectiveTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Content of a rules topic, as a publisher needs to know it. Immutable.
 *
 * @param rules the newest rules that readers can have; null: none, since the topic is empty or the
 *     last snapshot was deleted
 * @param history id of their history; empty: none
 * @param version the newest version that was begun, 0 for none
 * @param whole whether {@code rules} are those of {@code version}, and can be changed by a delta;
 *     else the next transaction must be a snapshot
 * @param inForceNs event time from which the newest version is in force; Long.MIN_VALUE: none
 * @param heartbeatNs event time up to which a heartbeat says that no other version will come into
 *     force; Long.MIN_VALUE: none
 * @param start the first offset of the topic
 * @param end the offset behind what was read
 * @param snapshotOffset where the newest snapshot begins; -1: none
 * @param changesSince changes since that snapshot
 */
public record RuleStanding(
        @Nullable RuleSet rules,
        String history,
        long version,
        boolean whole,
        long inForceNs,
        long heartbeatNs,
        long start,
        long end,
        long snapshotOffset,
        long changesSince) {
    /** The rules; an empty set of this name where the topic has none. */
    public RuleSet rulesOr(String name, String defaultAction) {
        return rules == null ? RuleSet.of(name, 0, defaultAction, List.of()) : rules;
    }

    /** Returns whether a version with these differences and default action would be another. */
    public boolean differs(RuleDelta delta, String defaultAction) {
        return !delta.isEmpty()
                || !whole
                || rules == null
                || !rules.defaultAction().equals(defaultAction);
    }

    /** Tells whether rules were published that cannot be read any more. */
    public boolean lost() {
        return rules == null && (version > 0 || start > 0);
    }

    /** The first event time from which the next version may be in force. */
    long earliestNs() {
        return EffectiveTimes.earliestNs(inForceNs, heartbeatNs);
    }

    /**
     * This content once the heartbeats are known that came before the newest version.
     *
     * @param untilNs the latest time of theirs
     * @param behind the offset behind what was read
     * @param parted whether readers drop the newest version for them, or do not agree on its time,
     *     so that a snapshot must follow
     */
    RuleStanding withHeartbeats(long untilNs, long behind, boolean parted) {
        return new RuleStanding(
                rules,
                history,
                version,
                whole && !parted,
                inForceNs,
                Math.max(heartbeatNs, untilNs),
                start,
                behind,
                snapshotOffset,
                changesSince);
    }
}
