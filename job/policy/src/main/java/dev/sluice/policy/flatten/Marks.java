package dev.sluice.policy.flatten;

import dev.sluice.policy.flatten.MarkChains.Rest;
import dev.sluice.policy.flatten.MarkChains.TooManyException;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Chains of a stage without marks: the rest of a chain behind a rule that sets one stands once for
 * each mark that a packet may have there, and asks for it no more.
 */
final class Marks {
    private final Stage stage;
    private final MarkState start;
    private final boolean every;
    private final MarkChains chains;
    private final Map<String, Boolean> asking = new HashMap<>();
    private final Map<String, Boolean> deciding = new HashMap<>();
    private final Map<String, Integer> setting = new HashMap<>();

    private record Reached(Rest rest, MarkState mark) {}

    private Marks(Stage stage, boolean every, Assumptions assumed) {
        this.stage = stage;
        this.every = every;
        this.start = stage.vantage().marks();
        this.chains = new MarkChains(stage, assumed);
    }

    /**
     * The use of a stage without marks, or of one with fewer chains, which knows less of them,
     * where that is too large.
     *
     * @param every whether each rule is to stay that a packet would come to if those before it were
     *     not: the ones behind a decision about all packets, and those that set marks, too
     * @throws SluiceException by the use, if no stage is small enough
     */
    static <T> T use(Stage stage, boolean every, Assumptions assumed, Function<Unmarked, T> use) {
        Unmarked whole = of(stage, every, assumed);
        try {
            return use.apply(whole);
        } catch (SluiceException e) {
            if (whole.isOfUsers()) {
                throw e;
            }
            return stage.before().isEmpty()
                    ? use.apply(open(stage))
                    : use(stage.with(stage.vantage()), every, assumed, use);
        }
    }

    /** The stage without marks, as short as its outcomes allow. */
    static Unmarked of(Stage stage, Assumptions assumed) {
        return of(stage, false, assumed);
    }

    private static Unmarked of(Stage stage, boolean every, Assumptions assumed) {
        boolean sets = !stage.vantage().marks().equals(MarkState.OLD) || stage.setsMark();
        if (!sets || !stage.asksMark()) {
            return new Unmarked(stage);
        }
        try {
            return new Marks(stage, every, assumed).unmarked();
        } catch (TooManyException | Alternatives.TooManyException | IllegalArgumentException e) {
            return stage.before().isEmpty() // or chains that lead too deep
                    ? open(stage)
                    : of(stage.with(stage.vantage()), every, assumed);
        }
    }

    /** The stage with marks that nobody knows. */
    private static Unmarked open(Stage stage) {
        MarkChains open = new MarkChains(stage, Assumptions.NONE);
        stage.chains()
                .forEach(
                        (chain, rules) ->
                                open.chains()
                                        .put(
                                                chain,
                                                rules.stream()
                                                        .map(rule -> open(rule, open))
                                                        .toList()));
        return open.unmarked(stage, stage.base());
    }

    private static PolicyRule open(PolicyRule rule, MarkChains open) {
        return open.with(rule, MarkConditions.open(rule.condition()), rule.effect());
    }

    private Unmarked unmarked() {
        Rest all = new Rest(stage.base(), 0, null);
        if (!stage.before().isEmpty()) {
            String base = new MarksBefore(stage, chains, mark -> chain(all, mark)).base();
            return chains.unmarked(stage, base);
        }
        chains.chains().put(stage.base(), rules(all, start));
        return chains.unmarked(stage, stage.base());
    }

    /** The chain of what is left to packets of a mark. */
    private String chain(Rest rest, MarkState mark) {
        boolean asks = asks(rest);
        MarkState asked = asks ? mark : start;
        boolean whole = rest.from() == 0 && rest.behind() == null;
        if (whole && (!asks || asked.equals(MarkState.OLD) && !sets(rest.chain()))) {
            keep(rest.chain());
            return rest.chain();
        }
        String words =
                "%s %d %x/%x".formatted(rest.chain(), rest.from(), asked.bits(), asked.known());
        return chains.named(new Reached(rest, asked), words, () -> rules(rest, asked));
    }

    /** Takes a chain as it is, with those that it leads to. */
    private void keep(String chain) {
        if (chains.chains().put(chain, rules(chain)) == null) {
            rules(chain).stream().map(Stage::target).filter(Objects::nonNull).forEach(this::keep);
        }
    }

    private List<PolicyRule> rules(String chain) {
        return Objects.requireNonNull(stage.chains().get(chain), chain);
    }

    private List<PolicyRule> rules(Rest rest, MarkState before) {
        List<PolicyRule> left = new ArrayList<>();
        List<PolicyRule> rules = rules(rest.chain());
        MarkState mark = before;
        for (int i = rest.from(); i < rules.size(); i++) {
            PolicyRule rule = rules.get(i);
            Condition condition = MarkConditions.of(rule.condition(), mark);
            Rest behind = rest.behind(i);
            if (condition.equals(Condition.NEVER)) {
                continue;
            }
            boolean always = condition.equals(Condition.ALWAYS);
            Effect effect = rule.effect();
            if (effect instanceof Effect.Mark change) {
                MarkState next = mark.after(change);
                MarkState old = mark;
                boolean parts = !always && !next.equals(mark) && asks(behind);
                Condition arriving = parts ? stage.vantage().of(condition) : condition;
                boolean unknown = parts && chains.isUnknown(arriving);
                mark = always ? next : mark;
                if (parts && !unknown) {
                    left.add(chains.with(rule, condition, new Effect.Goto(chain(behind, next))));
                } else if (unknown || every) {
                    left.add(chains.with(rule, condition, effect));
                }
                if (unknown) {
                    chains.certain(left, arriving, () -> chain(behind, next));
                    chains.perhaps(left, arriving, () -> chain(behind, old.or(next)));
                }
                continue;
            }
            if (!always && parts(left, rule, condition, rest, i, mark)) {
                continue;
            }
            Effect now = effect(effect, rest, behind, mark);
            left.add(chains.with(rule, condition, now));
            boolean stays = now instanceof Effect.Continue || now instanceof Effect.Jump;
            if (always && !stays) {
                boolean ends = every && !(effect instanceof Effect.Jump);
                addUnmet(ends ? rules.subList(i + 1, rules.size()) : List.of(), left);
                if (!ends || rest.behind() == null || !(effect instanceof Effect.Decide)) {
                    return left;
                }
                break; // the rest of the callers' chains, which no packet comes to, either
            }
        }
        if (rest.behind() != null) {
            left.add(MarkChains.all(chain(rest.behind(), mark)));
        }
        return left;
    }

    /** Adds rules that no packet comes to, as they are. */
    private void addUnmet(List<PolicyRule> unmet, List<PolicyRule> left) {
        for (PolicyRule rule : unmet) {
            left.add(rule);
            String target = Stage.target(rule);
            if (target != null) {
                keep(target);
            }
        }
    }

    private Effect effect(Effect effect, Rest rest, Rest behind, MarkState mark) {
        if (effect instanceof Effect.Return && rest.behind() != null) {
            return new Effect.Goto(chain(rest.behind(), mark));
        }
        if (effect instanceof Effect.Goto move) {
            return new Effect.Goto(chain(new Rest(move.chain(), 0, rest.behind()), mark));
        }
        if (!(effect instanceof Effect.Jump jump)) {
            return effect;
        }
        return sets(jump.chain()) && asks(behind)
                ? new Effect.Goto(chain(new Rest(jump.chain(), 0, behind), mark))
                : new Effect.Jump(chain(new Rest(jump.chain(), 0, null), mark));
    }

    /**
     * Parts the packets that a rule may lead into a chain or out of it, so that no rule behind is
     * doubted for that; returns whether it did.
     */
    private boolean parts(
            List<PolicyRule> left,
            PolicyRule rule,
            Condition condition,
            Rest rest,
            int at,
            MarkState mark) {
        List<PolicyRule> rules = rules(rest.chain());
        List<PolicyRule> passed = rules.subList(at + 1, rules.size());
        String jump = rule.effect() instanceof Effect.Jump of ? of.chain() : null;
        boolean jumps = jump != null && sets(jump) && asks(rest.behind(at));
        boolean returns =
                rule.effect() instanceof Effect.Return
                        && rest.behind() != null
                        && passed.stream().noneMatch(this::decides);
        Condition arriving = stage.vantage().of(condition);
        if (!jumps && !returns || !chains.isUnknown(arriving)) {
            return false;
        }
        Rest behind = jump == null ? Objects.requireNonNull(rest.behind()) : rest.behind(at);
        Rest into = jump == null ? behind : new Rest(jump, 0, behind);
        left.add(chains.with(rule, condition, new Effect.Continue()));
        chains.certain(left, arriving, () -> chain(into, mark));
        if (jump != null) {
            Effect doubtful = new Effect.Jump(chain(new Rest(jump, 0, null), mark));
            left.add(chains.beside(rule, condition, doubtful));
        }
        int bits = jump == null ? bits(passed) : bits(jump);
        chains.perhaps(left, arriving, () -> chain(behind, mark.without(bits)));
        return true;
    }

    private boolean decides(PolicyRule rule) {
        String target = Stage.target(rule);
        return rule.effect() instanceof Effect.Decide
                || target != null && known(deciding, target, this::decides);
    }

    /** Returns whether a rule sets a mark that packets of a chain come to. */
    private boolean sets(String chain) {
        return bits(chain) != 0;
    }

    /** The bits of marks that rules of a chain may change, and of those that it leads to. */
    private int bits(String chain) {
        Integer known = setting.get(chain);
        if (known == null) {
            known = bits(rules(chain));
            setting.put(chain, known);
        }
        return known;
    }

    private int bits(List<PolicyRule> rules) {
        int bits = 0;
        for (PolicyRule rule : rules) {
            String target = Stage.target(rule);
            bits |=
                    rule.effect() instanceof Effect.Mark mark
                            ? mark.bits()
                            : target == null ? 0 : bits(target);
        }
        return bits;
    }

    private boolean asks(Rest rest) {
        List<PolicyRule> rules = rules(rest.chain());
        boolean own =
                rest.from() == 0
                        ? asks(rest.chain())
                        : rules.subList(rest.from(), rules.size()).stream().anyMatch(this::asks);
        return own || rest.behind() != null && asks(rest.behind());
    }

    private boolean asks(String chain) {
        return known(asking, chain, this::asks);
    }

    private boolean known(Map<String, Boolean> ofChains, String chain, Predicate<PolicyRule> some) {
        Boolean known = ofChains.get(chain);
        if (known == null) {
            known = rules(chain).stream().anyMatch(some);
            ofChains.put(chain, known);
        }
        return known;
    }

    private boolean asks(PolicyRule rule) {
        String target = Stage.target(rule);
        return MarkState.isAsked(rule.condition()) || target != null && asks(target);
    }
}
