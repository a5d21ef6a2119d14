package dev.sluice.operators.statistics;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.RuleStatistics;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Hits of one rule, or of one in a window, as stored in the state of a rule's windows. A plain
 * record of Flink's, so that a later version may add fields and still read a savepoint.
 *
 * @param history id of the rule history
 * @param matched whether a rule matched; otherwise these are packets of the default action, and
 *     {@code ruleId} is 0
 * @param ruleId stable id of the rule
 * @param windowNs length of the window; 0: the hits belong to no window
 * @param windowStartNs start of the window, or {@link Column#NO_TIME}: no window, or packets
 *     without a time
 * @param part see {@link RuleStatistics}
 * @param packets packets
 * @param bytes their lengths on the wire
 * @param firstNs smallest time, or {@link Column#NO_TIME}
 * @param lastNs largest time, or {@link Column#NO_TIME}
 * @param fromVersion lowest version that gave a verdict
 * @param toVersion highest version that gave a verdict
 */
public record RuleHits(
        String history,
        boolean matched,
        long ruleId,
        long windowNs,
        long windowStartNs,
        long part,
        long packets,
        long bytes,
        long firstNs,
        long lastNs,
        long fromVersion,
        long toVersion) {
    /** Flink's type of these records. */
    public static final TypeInformation<RuleHits> TYPE = Types.POJO(RuleHits.class);

    /** Returns the sum of these hits and others of the same rule, with the keys of these. */
    public RuleHits plus(RuleHits other) {
        return new RuleHits(
                history,
                matched,
                ruleId,
                windowNs,
                windowStartNs,
                part,
                packets + other.packets,
                bytes + other.bytes,
                earlier(firstNs, other.firstNs),
                Math.max(lastNs, other.lastNs), // NO_TIME is the least of all
                Math.min(fromVersion, other.fromVersion),
                Math.max(toVersion, other.toVersion));
    }

    private static long earlier(long a, long b) {
        return a == Column.NO_TIME ? b : b == Column.NO_TIME ? a : Math.min(a, b);
    }

    /** Returns these hits with another part of their window. */
    RuleHits inPart(long other) {
        return other == part
                ? this
                : new RuleHits(
                        history,
                        matched,
                        ruleId,
                        windowNs,
                        windowStartNs,
                        other,
                        packets,
                        bytes,
                        firstNs,
                        lastNs,
                        fromVersion,
                        toVersion);
    }

    /** Returns the message of these sums. */
    public RuleStatistics toStatistics() {
        return new RuleStatistics(
                history,
                matched ? Long.valueOf(ruleId) : null,
                windowNs,
                windowStartNs,
                part,
                packets,
                bytes,
                firstNs,
                lastNs,
                fromVersion,
                toVersion);
    }
}
