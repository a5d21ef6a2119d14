package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.PolicyRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A segment in one reading: boxes of which the first that holds a packet takes a step.
 *
 * @param list number of the boxes among those of the policy; negative: there are none
 * @param steps the step of each box
 * @param next look-up where no box holds the packet; negative: the chain ends
 * @param inDoubt whether all that it decides is unknown
 */
record LookUp(int list, List<Step> steps, int next, boolean inDoubt) {
    /** Number of no look-up: the end of a chain. */
    static final int END = -1;

    /** Number of no list of boxes. */
    static final int NO_LIST = -1;

    /**
     * Step of a walk.
     *
     * @param decides the rule that decides here; null: none
     * @param unknown the rule whose condition makes the step unknown; null: none
     * @param to the next look-up, {@link #END} for a return
     * @param back look-up at the end of the chain that {@code to} begins; {@link #END}: none
     */
    record Step(@Nullable PolicyRule decides, @Nullable PolicyRule unknown, int to, int back) {}

    /**
     * Boxes of a list.
     *
     * @param boxes in the order in which they win
     * @param rules the rule that each box belongs to
     */
    record Boxed(List<Match> boxes, List<PolicyRule> rules) {}
}
