package dev.sluice.policy.convert;

import dev.sluice.policy.convert.PortPairs.Pair;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
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
        Origin origin = new Origin(file, 0, CHAIN, "", "default action", null);
        PolicyRule end =
                new PolicyRule(
                        origin,
                        Condition.ALWAYS,
                        new Effect.Decide(permits ? Outcome.PERMIT : Outcome.DENY),
                        permits ? "accept" : "drop");
        Stage stage = new Stage(CHAIN, CHAIN, Map.of(CHAIN, chain), end, Vantage.PLAIN);
        return new Policy(CHAIN, Condition.ALWAYS, List.of(stage), null);
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
        all.add(ports(rule));
        return new Condition.All(all);
    }

    private static Condition ports(ConvertedRule rule) {
        List<Condition> any = new ArrayList<>();
        for (Pair pair : PortPairs.of(rule.match().without(Field.PORTS_PRESENT))) {
            List<Condition> both = new ArrayList<>();
            if (!pair.isAnySource()) {
                ValueSet ports = ValueSet.of(pair.lowSource(), pair.highSource());
                both.add(orLacking(rule, Field.SRC_PORT, new Condition.In(Field.SRC_PORT, ports)));
            }
            if (!pair.isAnyDestination()) {
                ValueSet ports = ValueSet.of(pair.lowDestination(), pair.highDestination());
                both.add(orLacking(rule, Field.DST_PORT, new Condition.In(Field.DST_PORT, ports)));
            }
            any.add(new Condition.All(both));
        }
        return any.size() == 1 ? any.get(0) : new Condition.Any(any);
    }

    /** Adds packets without a field to those whose value may be 0, unless the rule asks for it. */
    private static Condition orLacking(ConvertedRule rule, Field field, Condition condition) {
        Field bit = field.present();
        boolean zero =
                condition instanceof Condition.In in
                        ? in.values().contains(BigInteger.ZERO)
                        : ((Condition.Bits) condition).value().signum() == 0;
        return bit == null || !zero || rule.asks(bit)
                ? condition
                : Condition.any(condition, Condition.is(bit, 0));
    }

    private static Condition plain(ConvertedRule rule, Field field) {
        BigInteger mask = number(rule.masks(), field);
        BigInteger value = number(rule.values(), field).and(mask);
        BigInteger free = BigInteger.ONE.shiftLeft(field.bits()).subtract(BigInteger.ONE).xor(mask);
        return free.add(BigInteger.ONE).bitCount() == 1
                ? new Condition.In(field, ValueSet.of(value, value.or(free)))
                : new Condition.Bits(field, value, mask);
    }

    /** The bits of a field in header words. */
    private static BigInteger number(int[] words, Field field) {
        return switch (field.bits()) {
            case ConvertedRule.MAC_BITS -> BigInteger.valueOf(FieldBits.mac(words, field));
            case ConvertedRule.IPV6_BITS -> new BigInteger(1, FieldBits.ipv6(words, field));
            default ->
                    BigInteger.valueOf(Integer.toUnsignedLong(field.extract(words[field.word()])));
        };
    }
}
