package dev.sluice.job.read;

import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on one packet, whichever message it came in.
 *
 * @param capture name of the capture
 * @param packet packet number, from 1
 * @param timeNs ns since 1970 UTC, or {@link Column#NO_TIME}
 * @param ruleId stable id of the rule; null: none matched
 * @param rule what is known of the rule beside its id; {@link RuleFacts#UNKNOWN} for a miss
 * @param action of the rule, or the default action; empty: neither message nor rules tell
 * @param version rule-set version
 * @param history id of the rule history that the version is a number of; empty: the message does
 *     not tell
 * @param status how the verdict came about
 * @param tellsAddresses whether the message has the addresses of all packets that have some
 * @param fields what the message tells of the packet
 */
public record VerdictRow(
        String capture,
        long packet,
        long timeNs,
        @Nullable Long ruleId,
        RuleFacts rule,
        String action,
        long version,
        String history,
        VerdictStatus status,
        boolean tellsAddresses,
        Map<PacketField, Object> fields) {
    /** Whether the packet has a time. */
    boolean hasTime() {
        return timeNs != Column.NO_TIME;
    }

    /**
     * What rows say of a rule as of a version.
     *
     * @param line 1-based line in its file; null: unknown, or none
     * @param priority its priority; null: unknown
     * @param action its action; empty: unknown
     * @param text the rule as its file has it; empty: unknown
     */
    public record RuleFacts(
            @Nullable Integer line, @Nullable Integer priority, String action, String text) {
        /** Nothing is known. */
        public static final RuleFacts UNKNOWN = new RuleFacts(null, null, "", "");
    }
}
