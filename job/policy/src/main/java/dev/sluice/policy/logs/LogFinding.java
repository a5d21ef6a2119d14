package dev.sluice.policy.logs;

import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.PolicyRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of a logged packet with a policy.
 *
 * @param rules rules of the policy that log with the packet's prefix, one a line; several: the log
 *     does not say which
 * @param hook policy that judged the packet; empty: none
 * @param ours answer of the policy; null: none was asked for, or the packet does not come to it
 * @param reason further words, or empty
 */
public record LogFinding(
        Kind kind,
        List<PolicyRule> rules,
        String hook,
        FlatPolicy.@Nullable Answer ours,
        String reason) {
    /** Kinds of findings. */
    public enum Kind {
        /** The packet reaches the rule, and its fate is the one that the log tells, if any. */
        AGREES("agrees", "agree", false),
        /** No rule of the policy logs with the prefix. */
        UNKNOWN_PREFIX("unknown-prefix", "have a prefix of no rule", true),
        /** By the policy the packet does not reach the rule. */
        NOT_REACHED("not-reached", "do not reach the rule that logged them", true),
        /** The packet reaches the rule, and its fate is another one than the log tells. */
        OTHER_OUTCOME("other-outcome", "have another outcome", true),
        /** A fact that neither log nor policy tells decides. */
        DEPENDS("depends", "depend", false),
        /** The packet does not come to the policy, as one of another IP version. */
        NOT_JUDGED("not-judged", "are of the other IP version", false);

        private final String label;
        private final String verb;
        private final boolean difference;

        Kind(String label, String verb, boolean difference) {
            this.label = label;
            this.verb = verb;
            this.difference = difference;
        }

        /** The word that users read. */
        public String label() {
            return label;
        }

        /** The words behind a number of packets. */
        public String verb() {
            return verb;
        }

        /** Returns whether the device runs another policy, or the policy is read wrongly. */
        public boolean isDifference() {
            return difference;
        }
    }
}
