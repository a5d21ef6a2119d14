package dev.sluice.job.report;

import dev.sluice.policy.questions.DiffPair;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.SemanticDiff;
import dev.sluice.policy.questions.SemanticDiff.Sides;
import org.jspecify.annotations.Nullable;

/**
 * Rules of two policies that decide about the same packets, with other outcomes.
 *
 * @param was outcome by the old policy: that of the policy, or of rules that stand for themselves
 *     {@code permit}, {@code deny} or another action
 * @param is outcome by the new policy
 * @param unmet the packets about which they decide, where the captures have none of these; else
 *     null
 */
public record OutcomeChange(
        RuleLabel old, String was, RuleLabel fresh, String is, @Nullable DiffPair unmet) {
    private static final String DEPENDS = "depends";

    /** Rules that packets of the captures met. */
    public OutcomeChange(RuleLabel old, String was, RuleLabel fresh, String is) {
        this(old, was, fresh, is, null);
    }

    /** Rules that no packet of the captures met. */
    static OutcomeChange of(DiffPair unmet) {
        return new OutcomeChange(
                label(unmet.oldLine()),
                unmet.oldOutcome(),
                label(unmet.newLine()),
                unmet.newOutcome(),
                unmet);
    }

    private static RuleLabel label(Line line) {
        return new RuleLabel(line.number(), line.action(), line.text().strip());
    }

    /**
     * Returns whether packets that met these rules are, or may be, some of those of a difference: a
     * packet that depends may have any line and outcome.
     */
    boolean meets(Sides of) {
        return meets(old, was, of.oldLine(), of.oldOutcome())
                && meets(fresh, is, of.newLine(), of.newOutcome());
    }

    private static boolean meets(RuleLabel rule, String outcome, Line line, String of) {
        return outcome.equals(DEPENDS) || outcome.equals(of) && rule.line() == line.number();
    }

    /**
     * Returns whether packets have, or may have, an outcome that they had not for certain.
     *
     * @param denying whether they are asked to be denied; else to be permitted
     */
    boolean gains(boolean denying) {
        return SemanticDiff.gains(was, is, denying);
    }
}
