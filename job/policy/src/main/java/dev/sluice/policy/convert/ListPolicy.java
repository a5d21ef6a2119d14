package dev.sluice.policy.convert;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rules that stand for themselves as a policy of one chain, for packets of every kind. */
final class ListPolicy {
    private static final String CHAIN = "rules";

    private ListPolicy() {}

    /**
     * The policy.
     *
     * @param format name of the format that it is written in, for refusals
     * @param permits whether packets that no rule matches pass
     */
    static Policy of(List<ConvertedRule> rules, String file, String format, boolean permits) {
        List<PolicyRule> chain = new ArrayList<>();
        for (ConvertedRule rule : rules) {
            boolean passes = rule.permits(format);
            chain.add(
                    new PolicyRule(
                            rule.origin(CHAIN),
                            condition(rule),
                            new Effect.Decide(passes ? Outcome.PERMIT : Outcome.DENY),
                            rule.action()));
        }
        return of(CHAIN, CHAIN, Condition.ALWAYS, chain, file, permits ? "accept" : "drop");
    }

    /**
     * The policy of one chain.
     *
     * @param judges the packets that come to it
     * @param otherwise action of packets that no rule matches, accept or drop in any case
     */
    static Policy of(
            String stage,
            String chain,
            Condition judges,
            List<PolicyRule> rules,
            String file,
            String otherwise) {
        Origin origin = new Origin(file, 0, chain, "", "default action", null);
        boolean permits = otherwise.equalsIgnoreCase("accept");
        Effect effect = new Effect.Decide(permits ? Outcome.PERMIT : Outcome.DENY);
        PolicyRule end = new PolicyRule(origin, Condition.ALWAYS, effect, otherwise);
        Map<String, List<PolicyRule>> chains = Map.of(chain, rules);
        Stage only = new Stage(stage, chain, chains, end, Vantage.PLAIN);
        return new Policy(chain, judges, List.of(only), null);
    }

    /** The packets of a rule: a field that a packet lacks is 0 there. */
    private static Condition condition(ConvertedRule rule) {
        List<Condition> all = new ArrayList<>();
        for (Field field : Field.values()) {
            boolean ofPort = field.equals(Field.SRC_PORT) || field.equals(Field.DST_PORT);
            if (!ofPort && rule.asks(field)) {
                all.add(orLacking(rule, field, plain(rule, field)));
            }
        }
        all.add(rule.ports(one -> orLacking(rule, one.field(), one)));
        return new Condition.All(all);
    }

    /** Adds packets without a field to those whose value may be 0, unless the rule asks for it. */
    private static Condition orLacking(ConvertedRule rule, Field field, Condition condition) {
        Field bit = field.present();
        return bit == null || !Condition.holds(condition, BigInteger.ZERO) || rule.asks(bit)
                ? condition
                : Condition.any(condition, Condition.is(bit, 0));
    }

    private static Condition plain(ConvertedRule rule, Field field) {
        BigInteger mask = HeaderValues.of(rule.masks(), field);
        BigInteger value = HeaderValues.of(rule.values(), field).and(mask);
        BigInteger free = ValueSet.ones(field.bits()).xor(mask);
        return free.add(BigInteger.ONE).bitCount() == 1
                ? new Condition.In(field, ValueSet.of(value, value.or(free)))
                : new Condition.Bits(field, value, mask);
    }
}
