package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Stage whose rules ask for no marks that rules set.
 *
 * @param originals the user's rule of each rule that differs from it
 * @param settled rules on packets as they arrive that nobody doubts: true where packets that meet
 *     the condition for certain are meant, false where those that may meet it are, too
 */
record Unmarked(
        Stage stage,
        IdentityHashMap<PolicyRule, PolicyRule> originals,
        IdentityHashMap<PolicyRule, Boolean> settled) {
    /** Origin of rules that lead to the rest of a chain. */
    static final Origin NOBODYS = new Origin("", 0, "", "", "", null);

    Unmarked(Stage stage) {
        this(stage, new IdentityHashMap<>(), new IdentityHashMap<>());
    }

    /** Returns whether all rules are as the user has them. */
    boolean isOfUsers() {
        return originals.isEmpty() && settled.isEmpty();
    }

    /** Returns whether a rule is none of the user's: it leads to the rest of a chain. */
    static boolean isNobodys(PolicyRule rule) {
        return rule.origin().equals(NOBODYS);
    }

    /** The user's rule that a rule stands for. */
    PolicyRule original(PolicyRule rule) {
        return originals.getOrDefault(rule, rule);
    }

    /** The alternatives of a rule's condition. */
    List<Alternative> alternatives(PolicyRule rule, Alternatives by) {
        Boolean certain = settled.isEmpty() ? null : settled.get(rule);
        if (certain == null) {
            return by.of(rule.condition());
        }
        return by.of(rule.condition(), false).stream()
                .filter(one -> !certain || !one.unknown())
                .map(one -> new Alternative(one.box(), false))
                .distinct()
                .toList();
    }

    /** The truth of a rule's condition about a packet with this header. */
    Truth truth(PolicyRule rule, ConditionTruth by, int[] header) {
        Boolean certain = settled.get(rule);
        if (certain == null) {
            return by.of(rule.condition(), header);
        }
        Truth truth = by.arriving(rule.condition(), header);
        boolean met = certain ? truth == Truth.YES : truth != Truth.NO;
        return met ? Truth.YES : Truth.NO;
    }
}
