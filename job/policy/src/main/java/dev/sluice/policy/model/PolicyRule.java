package dev.sluice.policy.model;

/**
 * Rule of a policy as its user wrote it.
 *
 * @param action what the rule does, in the words of its file
 */
public record PolicyRule(Origin origin, Condition condition, Effect effect, String action) {
    /** The rule with another effect. */
    public PolicyRule with(Effect other) {
        return with(condition, other);
    }

    /** The rule with another condition and effect. */
    public PolicyRule with(Condition asks, Effect other) {
        return new PolicyRule(origin, asks, other, action);
    }
}
