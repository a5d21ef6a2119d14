package dev.sluice.job.hits;

import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleIds;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/**
 * The answers that a policy may give, as rules that are counted and printed: each rule that
 * decides, and each rule that a packet may depend on, with the action {@code depends}.
 */
final class PolicyAnswers {
    /** The default action, of packets that do not come to the policy. */
    static final String NOT_JUDGED = "not-judged";

    private static final String DEPENDS = Outcome.DEPENDS.label();
    private static final String DEPENDS_ON = DEPENDS + " on: ";

    private final RuleSet rules;
    private final IdentityHashMap<PolicyRule, Integer> deciding = new IdentityHashMap<>();
    private final IdentityHashMap<PolicyRule, Integer> unclear = new IdentityHashMap<>();

    PolicyAnswers(PolicyFile file) {
        List<Rule> all = new ArrayList<>();
        RuleIds ids = new RuleIds();
        for (PolicyRule rule : file.rules()) {
            if (rule.effect() instanceof Effect.Decide) {
                deciding.put(rule, all.size());
                all.add(rule(rule, rule.action(), "", ids));
            }
        }
        for (PolicyRule rule : file.unclear()) {
            unclear.put(rule, all.size());
            all.add(rule(rule, DEPENDS, DEPENDS_ON, ids));
        }
        rules = RuleSet.inListOrder(file.file().toString(), 1, NOT_JUDGED, all);
    }

    private static Rule rule(PolicyRule of, String action, String before, RuleIds ids) {
        Match none = new Match.Builder().build();
        String text = before + of.origin().text();
        long id = ids.next(none, action + " " + of.origin().chain() + " " + text);
        return new Rule(id, 0, none, action, of.origin().line(), Place.NONE, text);
    }

    /** Returns whether a rule stands for packets that depend on it. */
    static boolean isUnclear(Rule rule) {
        return rule.action().equals(DEPENDS) && rule.text().startsWith(DEPENDS_ON);
    }

    RuleSet rules() {
        return rules;
    }

    /** Number of an answer among the rules. */
    int number(Answer answer) {
        IdentityHashMap<PolicyRule, Integer> rules =
                answer.outcome() == Outcome.DEPENDS ? unclear : deciding;
        return Objects.requireNonNull(rules.get(answer.rule()), "rule of the policy");
    }
}
