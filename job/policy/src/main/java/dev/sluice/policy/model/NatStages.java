package dev.sluice.policy.model;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Stages of a policy by what a chain of nat makes of a packet's destination. */
public final class NatStages {
    private static final Effect NO = new Effect.Decide(Outcome.DENY);
    private static final Effect YES = new Effect.Decide(Outcome.PERMIT);

    private NatStages() {}

    /**
     * The stages of packets without a translation, and of those of each translation.
     *
     * @param nat walk through the chain of nat
     * @param meets condition of the packets that come to it: first ones of connections
     * @param translations those of its rules that translate
     * @param stages stages of the policy
     * @param behind whether a stage sees translated packets
     * @return none where nothing is translated
     */
    public static List<Policy.Translated> of(
            Stage nat,
            Condition meets,
            Map<PolicyRule, Translation> translations,
            List<Stage> stages,
            Predicate<Stage> behind) {
        Map<Translation, Set<PolicyRule>> rules = new LinkedHashMap<>();
        for (List<PolicyRule> reached : nat.chains().values()) {
            for (PolicyRule rule : reached) {
                Translation translation = translations.get(rule);
                if (translation != null) {
                    rules.computeIfAbsent(translation, t -> new HashSet<>()).add(rule);
                }
            }
        }
        List<Policy.Translated> all = new ArrayList<>();
        if (!rules.isEmpty()) {
            Stage comes = comes(nat, meets, rule -> !translations.containsKey(rule), true);
            all.add(new Policy.Translated(comes, null, stages));
        }
        rules.forEach(
                (translation, own) -> {
                    List<Stage> seen = new ArrayList<>();
                    for (Stage stage : stages) {
                        seen.add(behind.test(stage) ? behind(stage, translation) : stage);
                    }
                    Stage comes = comes(nat, meets, own::contains, false);
                    all.add(new Policy.Translated(comes, translation, seen));
                });
        return all;
    }

    private static Stage behind(Stage stage, Translation translation) {
        return stage.with(stage.vantage().behind(translation));
    }

    /**
     * The stage that permits the packets about which certain rules of nat decide.
     *
     * @param others whether packets are meant, too, that come to the end of its chain, or not to it
     */
    private static Stage comes(
            Stage nat, Condition meets, Predicate<PolicyRule> which, boolean others) {
        Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
        nat.chains()
                .forEach(
                        (name, rules) ->
                                chains.put(
                                        name,
                                        rules.stream().map(rule -> decided(rule, which)).toList()));
        PolicyRule rest = nat.end().with(Condition.ALWAYS, others ? YES : NO);
        String base = " " + nat.base(); // no user's chain has a blank
        chains.put(
                base,
                List.of(
                        rest.with(Condition.not(meets), rest.effect()),
                        rest.with(Condition.ALWAYS, new Effect.Jump(nat.base())),
                        rest));
        return new Stage(nat.name(), base, chains, rest, nat.vantage());
    }

    private static PolicyRule decided(PolicyRule rule, Predicate<PolicyRule> which) {
        return rule.effect() instanceof Effect.Decide
                ? rule.with(which.test(rule) ? YES : NO)
                : rule;
    }
}
