package dev.sluice.policy.pf;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.appliance.FirewallRules;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Policies of pf as lists of which the first match decides: rules with {@code quick} in their
 * order, then the others from the last to the first.
 */
final class PfPolicies {
    private final RuleReading in;
    private final PfReader reader;

    PfPolicies(RuleReading in, PfReader reader) {
        this.in = in;
        this.reader = reader;
    }

    /** Rules of a list and its anchors. */
    private static final class Ordered {
        final List<PolicyRule> quick = new ArrayList<>();
        final List<PolicyRule> last = new ArrayList<>();

        /** Rules that decide nothing. */
        final List<PolicyRule> matching = new ArrayList<>();
    }

    Map<String, Policy> of(List<PfItem> items) {
        List<Stage> stages = List.of(stage(items, true), stage(items, false));
        Map<String, Policy> policies = new LinkedHashMap<>();
        for (Stage stage : stages) {
            policies.put(stage.name(), FirewallRules.policy(stage.name(), List.of(stage)));
        }
        policies.put("", FirewallRules.policy("pf", stages));
        return policies;
    }

    private Stage stage(List<PfItem> items, boolean incoming) {
        FirewallRules rules = new FirewallRules(in, incoming ? "in" : "out");
        if (reader.isStateless()) {
            Condition by = new Condition.Unknown("whether the connection has a state (no state)");
            rules.add(
                    rules.rule(
                            0,
                            "pf",
                            "",
                            "packets of connections with a state",
                            all(FirewallRules.established(), by),
                            true,
                            "pass"));
        } else {
            rules.addEstablished();
        }
        for (PfItem item : reader.skipped()) {
            rules.add(rule(rules, item, item.condition(incoming), true));
        }
        Ordered ordered = ordered(rules, items, incoming, Condition.ALWAYS);
        ordered.matching.forEach(rules::add);
        ordered.quick.forEach(rules::add);
        ordered.last.forEach(rules::add);
        return rules.stage("no rule matches", true, reader.reassembles());
    }

    private static Ordered ordered(
            FirewallRules rules, List<PfItem> items, boolean incoming, Condition within) {
        Ordered ordered = new Ordered();
        for (PfItem item : items) {
            if (!item.is(incoming)) {
                continue;
            }
            Condition own = item.condition(incoming);
            Condition condition = FirewallRules.allOf(List.of(within, own));
            List<PfItem> inner = item.inner;
            if (inner != null) {
                Ordered of = ordered(rules, inner, incoming, condition);
                ordered.matching.addAll(of.matching);
                ordered.quick.addAll(of.quick);
                if (item.quick) {
                    ordered.quick.addAll(of.last);
                } else {
                    ordered.last.addAll(0, of.last);
                }
                continue;
            }
            switch (item.kind) {
                case MATCH ->
                        ordered.matching.add(
                                rule(rules, item, condition, true).with(new Effect.Continue()));
                case UNKNOWN ->
                        ordered.quick.addAll(
                                rules.unclear(
                                        item.at.line(),
                                        item.chain,
                                        item.text,
                                        condition,
                                        "the rules of " + item.text));
                default -> {
                    PolicyRule rule = rule(rules, item, condition, item.kind == PfItem.Kind.PASS);
                    if (item.quick) {
                        ordered.quick.add(rule);
                    } else {
                        ordered.last.add(0, rule);
                    }
                }
            }
        }
        return ordered;
    }

    private static PolicyRule rule(
            FirewallRules rules, PfItem item, Condition condition, boolean permits) {
        return rules.rule(
                item.at.line(), item.chain, item.label, item.text, condition, permits, item.action);
    }
}
