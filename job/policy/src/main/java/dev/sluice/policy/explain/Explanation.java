package dev.sluice.policy.explain;

import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.questions.LintRule.Line;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Explanation of a packet's verdict.
 *
 * @param packet the packet in words
 * @param outcome its fate; null: the rules have actions alone, or no policy judges the packet
 * @param action the action of the rule that decides, {@code depends} or {@code not-judged}
 * @param rule the rule that decides, or that the verdict depends on; null: the packet is not judged
 * @param sure whether that rule decides whatever is unknown
 * @param ways the ways that the packet may take: hooks, and states of its connection
 * @param needs of a packet that is not judged the fields that keep it from the nearest hook
 */
public record Explanation(
        String packet,
        @Nullable Outcome outcome,
        String action,
        @Nullable Line rule,
        boolean sure,
        List<Way> ways,
        List<Need> needs) {

    /**
     * Way through a policy.
     *
     * @param policy its name, such as that of a hook; empty: there is one list alone
     * @param states states of the packet's connection that it is the way of; none: rules ask for
     *     none
     * @param certain whether the packet comes this way for certain
     * @param stages the stages that the packet comes to
     */
    public record Way(String policy, List<String> states, boolean certain, List<Passed> stages) {}

    /**
     * Stage that the packet comes to.
     *
     * @param met the rules that the packet comes to, and the ends of chains
     * @param deciding the rule that decides, or the two that may
     */
    public record Passed(String stage, List<Met> met, List<Line> deciding) {}

    /**
     * Rule that the packet comes to.
     *
     * @param line null: the end of a chain
     * @param chain the chain, in the user's words
     * @param acts whether the packet meets its condition: {@code yes}, {@code maybe}, {@code no}
     * @param effect what the rule does, in words
     * @param certain whether the packet comes to it for certain
     * @param needs of a packet that misses it the fields, in the rule's order
     * @param unknown of one that may meet it what no header tells
     */
    public record Met(
            @Nullable Line line,
            String chain,
            String acts,
            String effect,
            boolean certain,
            List<Need> needs,
            List<String> unknown) {
        /** Returns whether one field alone keeps the packet from the rule. */
        public boolean isNear() {
            return Needs.count(needs) == 1 && !needs.contains(Needs.NO_PACKET);
        }
    }
}
