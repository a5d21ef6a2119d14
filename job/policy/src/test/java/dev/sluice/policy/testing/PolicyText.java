package dev.sluice.policy.testing;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.List;
import java.util.stream.Collectors;

/** Texts of policies that are equal where the policies mean the same, wherever they stand. */
public final class PolicyText {
    private PolicyText() {}

    /** The stages, chains and rules of a policy, without their places and the words of unknowns. */
    public static String of(Policy policy) {
        StringBuilder text = new StringBuilder();
        for (Stage stage : policy.stages()) {
            text.append("stage ").append(stage.name()).append(' ').append(stage.vantage());
            text.append(" of ").append(of(stage.judges())).append('\n');
            stage.chains().keySet().stream()
                    .sorted()
                    .forEach(
                            chain -> {
                                text.append(" chain ").append(chain).append('\n');
                                rules(text, stage.chains().get(chain));
                            });
            rules(text, List.of(stage.end()));
        }
        return text.toString();
    }

    private static void rules(StringBuilder text, List<PolicyRule> rules) {
        for (PolicyRule rule : rules) {
            text.append("  ").append(rule.effect()).append(": ").append(of(rule.condition()));
            text.append(' ').append(rule.origin().comment()).append('\n');
        }
    }

    private static String of(Condition condition) {
        if (condition instanceof Condition.All all) {
            return joined(all.conditions(), " and ");
        }
        if (condition instanceof Condition.Any any) {
            return joined(any.conditions(), " or ");
        }
        if (condition instanceof Condition.Not not) {
            return "not " + of(not.condition());
        }
        return condition instanceof Condition.Unknown ? "unknown" : ConditionText.of(condition);
    }

    private static String joined(List<Condition> conditions, String word) {
        return conditions.stream()
                .map(PolicyText::of)
                .sorted()
                .distinct()
                .collect(Collectors.joining(word, "(", ")"));
    }
}
