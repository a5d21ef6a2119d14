package dev.sluice.policy.cloud;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.yaml.YamlPosition;

/**
 * Rule of a cloud's list, which permits or denies what its condition holds of.
 *
 * @param list name of the list and its direction, as in {@code sg-1/in}
 * @param text the rule in few words
 * @param comment the user's words about it, or empty
 */
record CloudRule(
        YamlPosition at,
        String list,
        String text,
        String comment,
        Condition condition,
        boolean permits) {
    /** The rule as it decides. */
    PolicyRule deciding() {
        return with(permits ? CloudStage.PERMIT : CloudStage.DENY);
    }

    /** The rule with another consequence where it permits. */
    PolicyRule permittingBy(Effect effect) {
        return with(permits ? effect : CloudStage.DENY);
    }

    private PolicyRule with(Effect effect) {
        String words = list + ": " + text;
        Origin origin = new Origin(at.file(), at.line(), list, comment, words, null);
        String action = effect instanceof Effect.Return ? "next" : permits ? "allow" : "deny";
        return new PolicyRule(origin, condition, effect, action);
    }
}
