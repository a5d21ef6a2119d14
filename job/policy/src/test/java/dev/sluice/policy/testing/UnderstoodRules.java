package dev.sluice.policy.testing;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.model.ConditionText;
import java.util.stream.Collectors;

/** Rules of a policy in words, as golden files have them. */
public final class UnderstoodRules {
    private UnderstoodRules() {}

    /** A line for each rule: its line in the file, chain, action and condition. */
    public static String of(PolicyFile file) {
        return file.rules().stream()
                .map(
                        rule ->
                                "%d %s %s: %s%n"
                                        .formatted(
                                                rule.origin().line(),
                                                rule.origin().chain(),
                                                rule.action(),
                                                ConditionText.of(rule.condition())))
                .collect(Collectors.joining());
    }
}
