package dev.sluice.job.report;

/**
 * Rules of two policies that decide about the same packets, with other outcomes.
 *
 * @param was outcome by the old policy: that of the policy, or of rules that stand for themselves
 *     {@code permit}, {@code deny} or another action
 * @param is outcome by the new policy
 */
public record OutcomeChange(RuleLabel old, String was, RuleLabel fresh, String is) {
    private static final String DEPENDS = "depends";

    /** Returns whether packets have, or may have, an outcome that they had not for certain. */
    boolean gains(String outcome) {
        return !was.equals(outcome) && (is.equals(outcome) || is.equals(DEPENDS));
    }
}
