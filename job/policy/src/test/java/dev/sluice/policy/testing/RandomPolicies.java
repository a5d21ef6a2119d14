package dev.sluice.policy.testing;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkFlow;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Draws policies and packets from small domains, so that rules overlap. */
public final class RandomPolicies {
    private static final int[] PROTOCOLS = {1, 6, 17, 58, 136};
    private static final String[] INTERFACES = {"eth0", "eth1", "lo", "eth+"};

    private final Random random;
    private int line;
    private boolean marks;

    /** Draws by a seed. */
    public RandomPolicies(long seed) {
        random = new Random(seed);
    }

    /** Draws rules that set marks, too, and that ask for them. */
    public RandomPolicies withMarks() {
        marks = true;
        return this;
    }

    /**
     * Draws a policy.
     *
     * @param unknowns number of unknown conditions, named 0, 1 and so on
     */
    public Policy policy(int unknowns) {
        List<Stage> stages = new ArrayList<>();
        int count = 1 + random.nextInt(marks ? 3 : 2);
        MarkState state = MarkState.OLD;
        List<Stage> setting = new ArrayList<>();
        for (int s = 0; s < count; s++) {
            Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
            int depth = random.nextInt(6);
            for (int c = 0; c <= depth; c++) {
                List<PolicyRule> rules = new ArrayList<>();
                for (int r = random.nextInt(7); r > 0; r--) {
                    rules.add(
                            new PolicyRule(
                                    origin("c" + c), condition(2, unknowns), effect(c, depth), ""));
                }
                chains.put("c" + c, rules);
            }
            Outcome end = random.nextBoolean() ? Outcome.PERMIT : Outcome.DENY;
            PolicyRule last =
                    new PolicyRule(origin("c0"), Condition.ALWAYS, new Effect.Decide(end), "");
            Stage stage =
                    new Stage("stage " + s, "c0", chains, last, vantage(s == 0))
                            .behind(state, List.copyOf(setting));
            stages.add(stage);
            state = MarkFlow.behind(stage, state);
            if (stage.setsMark()) {
                setting.add(stage.with(stage.vantage()));
            }
        }
        Stage untracked = random.nextInt(4) == 0 ? stages.get(0) : null;
        return new Policy("random", Condition.ALWAYS, stages, untracked);
    }

    private Vantage vantage(boolean outgoing) {
        return new Vantage(
                true,
                outgoing,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean() ? Vantage.States.TRACKED : Vantage.States.UNSEEN);
    }

    private Origin origin(String chain) {
        return new Origin("random", ++line, chain, "", "", null);
    }

    private Effect mark() {
        int mask = random.nextInt(4);
        return new Effect.Mark(mask, random.nextInt(8) == 0 ? 1 : mask & random.nextInt(4));
    }

    private Condition asksMark() {
        int mask = 1 + random.nextInt(3);
        int value = mask & random.nextInt(4);
        Condition stated = new Condition.Bits(Field.MARK, value, mask);
        return value == 0 ? Condition.any(stated, Condition.is(Field.MARK_PRESENT, 0)) : stated;
    }

    private Effect effect(int chain, int depth) {
        if (marks && random.nextInt(4) == 0) {
            return mark();
        }
        String below = "c" + (chain + 1 + (chain < depth ? random.nextInt(depth - chain) : 0));
        return switch (random.nextInt(chain < depth ? 12 : 7)) {
            case 0, 1 -> new Effect.Decide(Outcome.PERMIT);
            case 2, 3 -> new Effect.Decide(Outcome.DENY);
            case 4, 5 -> new Effect.Return();
            case 6 -> marks ? mark() : new Effect.Continue();
            case 7, 8 -> new Effect.Goto(below);
            default -> new Effect.Jump(below);
        };
    }

    /** Draws a condition. */
    public Condition condition(int depth, int unknowns) {
        if (marks && random.nextInt(4) == 0) {
            return asksMark();
        }
        int kind = random.nextInt(depth > 0 ? 14 : 10);
        return switch (kind) {
            case 0 -> Condition.ALWAYS;
            case 1 ->
                    new Condition.In(
                            random.nextBoolean() ? Field.SRC_PORT : Field.DST_PORT, values(6));
            case 2 ->
                    new Condition.In(
                            random.nextBoolean() ? Field.IPV4_SRC : Field.IPV4_DST, values(6));
            case 3 -> new Condition.In(Field.IP_PROTO, ValueSet.of(protocol()));
            case 4 ->
                    new Condition.Bits(
                            Field.TCP_FLAGS, random.nextInt(64), 1 << random.nextInt(6) | 2);
            case 5 -> new Condition.In(Field.ETH_SRC, values(4));
            case 6 -> new Condition.In(Field.IPV6_DST, values(4));
            case 7 -> new Condition.InState(Set.of(state(), state0()));
            case 8 ->
                    new Condition.Interface(
                            random.nextBoolean(), INTERFACES[random.nextInt(INTERFACES.length)]);
            case 9 ->
                    unknowns == 0
                            ? new Condition.In(Field.TTL, values(3))
                            : new Condition.Unknown("" + random.nextInt(unknowns));
            case 10, 11 ->
                    new Condition.All(
                            List.of(
                                    condition(depth - 1, unknowns),
                                    condition(depth - 1, unknowns)));
            case 12 ->
                    new Condition.Any(
                            List.of(
                                    condition(depth - 1, unknowns),
                                    condition(depth - 1, unknowns)));
            default -> Condition.not(condition(depth - 1, unknowns));
        };
    }

    private ConnectionState state() {
        return ConnectionState.values()[random.nextInt(3)];
    }

    private ConnectionState state0() {
        return ConnectionState.values()[3 + random.nextInt(2)];
    }

    private int protocol() {
        return PROTOCOLS[random.nextInt(PROTOCOLS.length)];
    }

    private ValueSet values(int most) {
        int low = random.nextInt(most);
        return ValueSet.of(low, low + random.nextInt(most - low))
                .or(ValueSet.of(random.nextInt(most)));
    }

    /** Draws a packet. */
    public int[] header() {
        int[] header = new int[HeaderWord.COUNT];
        boolean v6 = random.nextInt(4) == 0;
        Field.IP_VERSION.put(header, v6 ? Field.VERSION_6 : Field.VERSION_4);
        Field.IP_PROTO.put(header, protocol());
        if (v6) {
            header[Field.IPV6_DST.word() + 3] = random.nextInt(6);
        } else {
            Field.IPV4_SRC.put(header, random.nextInt(7));
            Field.IPV4_DST.put(header, random.nextInt(7));
        }
        int fragment = random.nextInt(8);
        if (fragment == 3) {
            Field.FRAGMENT.put(header, Field.FRAGMENT_LATER);
        } else {
            Field.FRAGMENT.put(header, fragment == 1 ? Field.FRAGMENT_FIRST : Field.FRAGMENT_NONE);
            Field.SRC_PORT.put(
                    header, random.nextInt(4) == 0 ? random.nextInt(150) : random.nextInt(7));
            Field.DST_PORT.put(header, random.nextInt(7));
            Field.TCP_FLAGS.put(header, random.nextInt(64));
        }
        if (random.nextInt(4) > 0) {
            header[HeaderWord.MAC_MIDDLE] |= random.nextInt(5) << 16;
            Field.ETH_SRC.markPresent(header);
        }
        if (random.nextInt(4) > 0) {
            Field.TTL.put(header, random.nextInt(4));
        }
        if (marks && random.nextBoolean()) {
            Field.MARK.put(header, random.nextInt(4));
        }
        return header;
    }
}
