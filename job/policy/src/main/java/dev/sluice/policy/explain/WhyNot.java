package dev.sluice.policy.explain;

import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;

/**
 * Answer to the question why a line does not decide about a packet.
 *
 * @param line the rule
 * @param kind what there is to tell
 * @param needs what the packet misses; of a packet that meets the rule none
 * @param before the lines that take the packet first; of {@link Kind#NEVER} those that leave the
 *     rule no packet
 * @param packet a packet that the line acts on, in words; empty: none is known
 * @param changes the fields in which that packet differs
 * @param depends what no header tells and decides whether the line acts; none: it does for certain
 */
public record WhyNot(
        Line line,
        Kind kind,
        List<Need> needs,
        List<Line> before,
        String packet,
        List<Need> changes,
        List<String> depends) {
    /** Answers. */
    public enum Kind {
        /** The line acts on the packet as it is. */
        ACTS,
        /** It would if the packet had what it needs. */
        NEEDS,
        /** Lines before it take such packets, but not all of the rule's. */
        TAKEN,
        /** No packet reaches it. */
        NEVER,
        /** No packet was found that reaches it, and none is proven away. */
        UNKNOWN
    }
}
