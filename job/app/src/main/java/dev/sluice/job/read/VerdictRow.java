package dev.sluice.job.read;

import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Verdict on one packet, from a message of either form.
 *
 * @param capture name of the capture
 * @param packet packet number, from 1
 * @param timeNs ns since 1970 UTC, or {@link Column#NO_TIME}
 * @param ruleId stable id of the rule; null: none matched
 * @param rule further properties of the rule; {@link RuleFacts#UNKNOWN} for a miss
 * @param action of the rule, or the default action; empty: neither message nor rules hold it
 * @param version rule-set version
 * @param history id of the version's rule history; empty: the message does not hold it
 * @param status how the verdict came about
 * @param outcome fate of the packet by a policy; NONE: no policy's, or the message does not say it
 * @param assumed assumption that a policy judged under; empty: none
 * @param earlier rules that let the packet pass in the stages before
 * @param tellsAddresses whether the message holds the addresses of all packets that have some
 * @param fields of the packet that the message holds
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
        VerdictOutcome outcome,
        String assumed,
        List<EarlierRule> earlier,
        boolean tellsAddresses,
        Map<PacketField, Object> fields) {
    /** Rule that let a packet pass in a stage before the one that decided. */
    public record EarlierRule(long ruleId, RuleFacts rule) {}

    /** Tells whether the packet has a time. */
    boolean hasTime() {
        return timeNs != Column.NO_TIME;
    }

    /**
     * Properties of a rule as of a version.
     *
     * @param line 1-based line in its file; null: unknown, or none
     * @param priority its priority; null: unknown
     * @param action its action; empty: unknown
     * @param text the rule as its file has it; empty: unknown
     */
    public record RuleFacts(
            @Nullable Integer line, @Nullable Integer priority, String action, String text) {
        /** Properties of a rule that is unknown. */
        public static final RuleFacts UNKNOWN = new RuleFacts(null, null, "", "");

        /** Properties of a rule. */
        public static RuleFacts of(Rule rule) {
            return new RuleFacts(
                    rule.line() == 0 ? null : Integer.valueOf(rule.line()),
                    rule.priority(),
                    rule.action(),
                    rule.text());
        }

        /** Properties in the words of a message; those that it lacks stay. */
        RuleFacts with(@Nullable Integer newLine, @Nullable Integer newPriority, String newAction) {
            return new RuleFacts(newLine, newPriority, newAction, text);
        }
    }
}
