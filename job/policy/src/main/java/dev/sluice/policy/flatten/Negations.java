package dev.sluice.policy.flatten;

import dev.sluice.policy.flatten.Marks.Unmarked;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Chains in place of rules that hold where none of several products does, as a negated set of
 * addresses and ports: the complement of each product has many boxes, and those of all multiply.
 */
final class Negations {
    /** Products of which the complements are multiplied. */
    private static final int FEW = 2;

    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final IdentityHashMap<PolicyRule, PolicyRule> originals;

    private Negations(IdentityHashMap<PolicyRule, PolicyRule> originals) {
        this.originals = originals;
    }

    /** The stage without such rules. */
    static Unmarked of(Unmarked given) {
        Stage stage = given.stage();
        boolean some =
                stage.chains().values().stream().flatMap(List::stream).anyMatch(Negations::isLong);
        if (!some) {
            return given;
        }
        Negations negations = new Negations(given.originals());
        stage.chains()
                .forEach(
                        (name, rules) -> {
                            negations.chains.put(name, List.of()); // keeps the chains' order
                            negations.chains.put(name, negations.rules(name, rules));
                        });
        Stage without =
                new Stage(
                        stage.name(),
                        stage.base(),
                        negations.chains,
                        stage.end(),
                        stage.vantage(),
                        stage.judges());
        return new Unmarked(without, negations.originals);
    }

    private List<PolicyRule> rules(String chain, List<PolicyRule> rules) {
        List<PolicyRule> left = new ArrayList<>();
        for (int i = 0; i < rules.size(); i++) {
            PolicyRule rule = rules.get(i);
            if (!isLong(rule)) {
                left.add(rule);
                continue;
            }
            List<Condition> others = new ArrayList<>(parts(rule.condition()));
            List<Condition> negated = others.stream().filter(Negations::isLong).toList();
            others.removeAll(negated);
            String own = "%s not %d".formatted(chain, i);
            boolean leaves =
                    rule.effect() instanceof Effect.Return || rule.effect() instanceof Effect.Goto;
            String rest = "%s behind %d".formatted(chain, i);
            Effect holds = leaves ? new Effect.Goto(rest) : new Effect.Return();
            List<PolicyRule> asked = new ArrayList<>();
            for (Condition not : negated) {
                asked.add(with(rule, ((Condition.Not) not).condition(), holds));
            }
            asked.add(with(rule, Condition.ALWAYS, rule.effect()));
            chains.put(own, asked);
            Condition all = others.size() == 1 ? others.get(0) : new Condition.All(others);
            left.add(with(rule, all, leaves ? new Effect.Goto(own) : new Effect.Jump(own)));
            if (leaves) {
                chains.put(rest, rules(rest, rules.subList(i + 1, rules.size())));
                left.add(with(rule, Condition.ALWAYS, new Effect.Goto(rest)));
                return left;
            }
        }
        return left;
    }

    private PolicyRule with(PolicyRule rule, Condition condition, Effect effect) {
        PolicyRule changed = new PolicyRule(rule.origin(), condition, effect, rule.action());
        originals.put(changed, originals.getOrDefault(rule, rule));
        return changed;
    }

    private static List<Condition> parts(Condition condition) {
        return condition instanceof Condition.All all ? all.conditions() : List.of(condition);
    }

    private static boolean isLong(PolicyRule rule) {
        return parts(rule.condition()).stream().anyMatch(Negations::isLong);
    }

    /** Returns whether a condition holds where none of more than a few products does. */
    private static boolean isLong(Condition condition) {
        return condition instanceof Condition.Not not
                && not.condition() instanceof Condition.Any any
                && any.conditions().stream().filter(Negations::isProduct).limit(FEW + 1L).count()
                        > FEW;
    }

    private static boolean isProduct(Condition condition) {
        return condition instanceof Condition.All all && all.conditions().size() > 1
                || condition instanceof Condition.Any any
                        && any.conditions().stream().anyMatch(Negations::isProduct);
    }
}
