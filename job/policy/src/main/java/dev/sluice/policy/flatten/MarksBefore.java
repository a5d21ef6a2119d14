package dev.sluice.policy.flatten;

import dev.sluice.policy.flatten.MarkChains.Rest;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkFlow;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Walk through the stages before one for nothing but marks: chains that lead to the stage, to each
 * of its copies the packets that come with its mark. Their rules decide nothing.
 *
 * <p>Packets that meet a rule perhaps may have each mark that the stage of the rule makes.
 */
final class MarksBefore {
    private static final Effect PASSES = new Effect.Decide(Outcome.PERMIT);

    private final List<Stage> stages;
    private final MarkChains chains;
    private final Function<MarkState, String> own;
    private final int asked;
    private final Map<Object, Boolean> known = new HashMap<>();

    private record Reached(int stage, Rest rest, MarkState mark) {}

    private record Asked(int stage, String chain, boolean sets) {}

    /**
     * A walk to a stage.
     *
     * @param own the chain of the stage for packets with a mark
     */
    MarksBefore(Stage to, MarkChains chains, Function<MarkState, String> own) {
        this.stages = to.before();
        this.chains = chains;
        this.own = own;
        this.asked =
                Stream.concat(Stream.of(to), stages.stream())
                        .flatMap(stage -> stage.chains().values().stream())
                        .flatMap(List::stream)
                        .mapToInt(rule -> asked(rule.condition()))
                        .reduce(0, (a, b) -> a | b);
    }

    /** The bits of the mark that a condition asks for. */
    private static int asked(Condition condition) {
        int[] bits = {0};
        Condition.forEachLeaf(
                condition,
                one -> {
                    if (Field.MARK.equals(Condition.field(one))) {
                        BigInteger mask =
                                one instanceof Condition.Bits some
                                        ? some.mask()
                                        : BigInteger.ONE.negate();
                        bits[0] |= mask.intValue();
                    }
                });
        return bits[0];
    }

    /** The chain that packets enter. */
    String base() {
        return enter(0, stages.get(0).vantage().marks());
    }

    private String enter(int stage, MarkState all) {
        MarkState mark = all.only(asked);
        if (stage == stages.size()) {
            return own.apply(mark);
        }
        Stage in = stages.get(stage);
        return in.isOfStates() // those of nat, which first packets of connections come to
                ? enter(stage + 1, mark.behindNat(MarkFlow.behind(in, mark)))
                : chain(stage, new Rest(in.base(), 0, null), mark);
    }

    private String chain(int stage, Rest rest, MarkState mark) {
        if (!has(stage, rest, true)) {
            return enter(stage + 1, mark);
        }
        String words = "%d %s %d".formatted(stage, rest.chain(), rest.from());
        return chains.named(new Reached(stage, rest, mark), words, () -> rules(stage, rest, mark));
    }

    private List<PolicyRule> rules(int stage, Rest rest, MarkState before) {
        Stage in = stages.get(stage);
        List<PolicyRule> left = new ArrayList<>();
        boolean enters =
                rest.behind() == null && rest.from() == 0 && rest.chain().equals(in.base());
        if (enters && !in.judges().equals(Condition.ALWAYS)) {
            Condition others = Condition.not(in.vantage().of(in.judges()));
            chains.certain(left, others, () -> enter(stage + 1, before));
            chains.perhaps(left, others, () -> enter(stage + 1, before.without(in.markBits())));
        }
        List<PolicyRule> rules = rules(in, rest.chain());
        MarkState mark = before;
        for (int i = rest.from(); i < rules.size(); i++) {
            PolicyRule rule = rules.get(i);
            Effect effect = rule.effect();
            Condition condition = MarkConditions.of(rule.condition(), mark);
            Rest behind = rest.behind(i);
            boolean always = condition.equals(Condition.ALWAYS);
            MarkState now = mark;
            Supplier<String> leads = null;
            Supplier<String> maybe = () -> enter(stage + 1, now.without(in.markBits()));
            if (effect instanceof Effect.Mark change) {
                MarkState next = now.after(change).only(asked);
                if (always) {
                    mark = next;
                } else if (!next.equals(now)) {
                    leads = () -> chain(stage, behind, next);
                    maybe = () -> chain(stage, behind, now.or(next));
                }
            } else if (effect instanceof Effect.Jump jump) {
                Rest into = new Rest(jump.chain(), 0, behind);
                leads = bears(stage, jump.chain()) ? () -> chain(stage, into, now) : null;
            } else if (effect instanceof Effect.Goto move) {
                Rest into = new Rest(move.chain(), 0, rest.behind());
                leads = () -> chain(stage, into, now);
            } else if (effect instanceof Effect.Return) {
                leads = () -> end(stage, rest, now);
            } else if (effect.equals(PASSES)) {
                leads = () -> enter(stage + 1, now);
            }
            if (leads == null) {
                continue; // it makes nothing of marks; what it denies comes to no stage
            }
            if (always) {
                left.add(MarkChains.all(leads.get()));
                return left;
            }
            Condition arriving = in.vantage().of(condition);
            chains.certain(left, arriving, leads);
            chains.perhaps(left, arriving, maybe);
        }
        left.add(MarkChains.all(end(stage, rest, mark)));
        return left;
    }

    private String end(int stage, Rest rest, MarkState mark) {
        Rest behind = rest.behind();
        return behind == null ? enter(stage + 1, mark) : chain(stage, behind, mark);
    }

    private static List<PolicyRule> rules(Stage in, String chain) {
        return Objects.requireNonNull(in.chains().get(chain), chain);
    }

    /** Returns whether a chain sets marks, or lets packets leave the stage. */
    private boolean bears(int stage, String chain) {
        return has(stage, chain, true) || has(stage, chain, false);
    }

    private boolean has(int stage, Rest rest, boolean sets) {
        List<PolicyRule> rules = rules(stages.get(stage), rest.chain());
        return rules.subList(rest.from(), rules.size()).stream().anyMatch(is(stage, sets))
                || rest.behind() != null && has(stage, rest.behind(), sets);
    }

    private boolean has(int stage, String chain, boolean sets) {
        Asked asked = new Asked(stage, chain, sets);
        Boolean before = known.get(asked);
        if (before == null) {
            before = rules(stages.get(stage), chain).stream().anyMatch(is(stage, sets));
            known.put(asked, before);
        }
        return before;
    }

    private Predicate<PolicyRule> is(int stage, boolean sets) {
        return rule -> {
            String target = Stage.target(rule);
            return (sets ? rule.effect() instanceof Effect.Mark : rule.effect().equals(PASSES))
                    || target != null && has(stage, target, sets);
        };
    }
}
