package dev.sluice.job.rules;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;

/** Random policy whose rules ask for sets of addresses, and of addresses and ports. */
final class LargeSets {
    private static final int ELEMENTS = 500;
    private static final int RULES = 8;
    private static final int PACKETS = 150;
    private static final int ROOM = 4_096;
    private static final int FIRST = 0x0a00_0000;

    private final Random random;
    private final TreeSet<Integer> sources = new TreeSet<>();
    private final TreeSet<Integer> targets = new TreeSet<>();
    private final List<PolicyRule> rules = new ArrayList<>();
    private int line;

    LargeSets(int seed) {
        random = new Random(seed);
        while (sources.size() < ELEMENTS || targets.size() < ELEMENTS) {
            sources.add(address());
            targets.add(address());
        }
        while (rules.size() < RULES) {
            rules.add(rule());
        }
    }

    private int address() {
        return FIRST + 2 * random.nextInt(ROOM); // neighbours would be one range
    }

    void add(int source) {
        sources.add(source);
    }

    /** The policy, one of whose sets or rules has changed. */
    Policy edited() {
        TreeSet<Integer> set = random.nextBoolean() ? sources : targets;
        switch (random.nextInt(3)) {
            case 0 -> set.add(address());
            case 1 -> set.remove(set.ceiling(FIRST + random.nextInt(ROOM / 2)));
            default -> rules.set(random.nextInt(RULES), rule());
        }
        return policy();
    }

    /** The policy as it stands. */
    Policy policy() {
        Condition from = new Condition.In(Field.IPV4_SRC, set(sources));
        Condition to =
                new Condition.Any(
                        targets.stream()
                                .map(
                                        address ->
                                                Condition.all(
                                                        Condition.is(Field.IPV4_DST, address),
                                                        Condition.is(Field.DST_PORT, address % 8)))
                                .toList());
        List<PolicyRule> asking = new ArrayList<>();
        for (PolicyRule rule : rules) {
            Condition set =
                    switch (rule.origin().line() % 4) {
                        case 0 -> from;
                        case 1 -> Condition.not(from);
                        case 2 -> to;
                        default -> Condition.not(to);
                    };
            asking.add(
                    new PolicyRule(
                            rule.origin(),
                            Condition.all(rule.condition(), set),
                            rule.effect(),
                            ""));
        }
        PolicyRule end =
                new PolicyRule(
                        new Origin("sets", 0, "c", "", "end", null),
                        Condition.ALWAYS,
                        new Effect.Decide(Outcome.DENY),
                        "DROP");
        Vantage whole = new Vantage(true, true, false, true, Vantage.States.TRACKED);
        Stage stage = new Stage("s", "c", Map.of("c", asking), end, whole);
        return new Policy("sets", Condition.ALWAYS, List.of(stage), null);
    }

    private static ValueSet set(TreeSet<Integer> addresses) {
        return new ValueSet(
                addresses.stream()
                        .map(BigInteger::valueOf)
                        .map(address -> new Range(address, address))
                        .toList());
    }

    private PolicyRule rule() {
        Condition ports =
                new Condition.In(
                        Field.SRC_PORT,
                        ValueSet.of(random.nextInt(4)).or(ValueSet.of(5, 6 + random.nextInt(3))));
        Outcome outcome = random.nextBoolean() ? Outcome.PERMIT : Outcome.DENY;
        Origin origin = new Origin("sets", ++line, "c", "", "rule " + line, null);
        return new PolicyRule(
                origin,
                Condition.all(ports, Condition.not(Condition.is(Field.IPV4_DST, address()))),
                new Effect.Decide(outcome),
                "");
    }

    List<int[]> headers() {
        List<int[]> headers = new ArrayList<>();
        while (headers.size() < PACKETS) {
            int[] header = new int[HeaderWord.COUNT];
            boolean v4 = random.nextInt(8) > 0;
            Field.IP_VERSION.put(header, v4 ? Field.VERSION_4 : Field.VERSION_6);
            Field.IP_PROTO.put(header, 6);
            if (v4) {
                Field.IPV4_SRC.put(header, address());
                Field.IPV4_DST.put(header, address());
            }
            boolean later = random.nextInt(4) == 0;
            Field.FRAGMENT.put(header, later ? Field.FRAGMENT_LATER : Field.FRAGMENT_NONE);
            if (!later) {
                Field.SRC_PORT.put(header, random.nextInt(10));
                Field.DST_PORT.put(header, random.nextInt(8));
            }
            headers.add(header);
        }
        return headers;
    }
}
