package dev.sluice.policy.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Policy: stages in the order in which a packet meets them. A packet passes if every stage permits
 * it.
 *
 * @param judges condition of the packets that come to the policy at all, such as those of IPv4
 * @param stages at least one
 * @param untracked permits the packets that connection tracking is told to skip, so that their
 *     state is {@link ConnectionState#UNTRACKED}; null: there are none
 */
public record Policy(String name, Condition judges, List<Stage> stages, @Nullable Stage untracked) {
    /** Copies the list. */
    public Policy {
        stages = List.copyOf(stages);
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("policy " + name + " has no stage");
        }
    }

    /** The rules, in the order of their files. */
    public List<PolicyRule> rules() {
        return rules(List.of(this));
    }

    /** The rules of policies, in the order of their files. */
    public static List<PolicyRule> rules(List<Policy> policies) {
        List<PolicyRule> rules = new ArrayList<>();
        Set<PolicyRule> known = new HashSet<>();
        for (Stage stage : policies.stream().flatMap(p -> p.stages.stream()).toList()) {
            for (List<PolicyRule> chain : stage.chains().values()) {
                chain.stream().filter(known::add).forEach(rules::add);
            }
            if (known.add(stage.end())) {
                rules.add(stage.end());
            }
        }
        rules.sort(
                Comparator.comparing((PolicyRule rule) -> rule.origin().file())
                        .thenComparingInt(rule -> rule.origin().line()));
        return rules;
    }
}
