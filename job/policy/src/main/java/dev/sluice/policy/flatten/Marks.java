package dev.sluice.policy.flatten;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Chains of a stage without marks: the rest of a chain behind a rule that sets one stands once for
 * each mark that a packet may have there, and asks for it no more.
 */
final class Marks {
    /** Most chains of a stage. */
    private static final int MOST = 2_000;

    /** Most chains that a packet is in at once. */
    private static final int MOST_DEEP = 120;

    /** States of packets that meet the table nat. */
    private static final Condition MEETS_NAT =
            new Condition.InState(Set.of(ConnectionState.NEW, ConnectionState.RELATED));

    private static final Condition UNKNOWN = new Condition.Unknown("a mark that rules set");

    /**
     * More chains than {@link #MOST}, or than {@link #MOST_DEEP} of which each leads to the next.
     */
    private static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final Origin NOBODYS = new Origin("", 0, "", "", "", null);

    /** Returns whether a rule is none of the user's: it leads to the rest of a chain. */
    static boolean isNobodys(PolicyRule rule) {
        return rule.origin().equals(NOBODYS);
    }

    private final Stage stage;
    private final MarkState start;
    private final boolean every;
    private final Map<String, List<PolicyRule>> chains = new LinkedHashMap<>();
    private final Map<Reached, String> names = new HashMap<>();
    private final Map<String, Boolean> asking = new HashMap<>();
    private final Map<String, Boolean> setting = new HashMap<>();
    private final IdentityHashMap<PolicyRule, PolicyRule> originals = new IdentityHashMap<>();
    private int depth;

    /** A stage, and the user's rule of each rule that differs from it. */
    record Unmarked(Stage stage, IdentityHashMap<PolicyRule, PolicyRule> originals) {}

    /**
     * Rules that are left of a chain.
     *
     * @param behind where the packet goes on at their end; null: behind the last jump
     */
    private record Rest(String chain, int from, @Nullable Rest behind) {}

    private record Reached(Rest rest, MarkState mark) {}

    private Marks(Stage stage, boolean every) {
        this.stage = stage;
        this.every = every;
        this.start = stage.vantage().marks();
    }

    /** The stage without marks, as short as its outcomes allow. */
    static Unmarked of(Stage stage) {
        return of(stage, false);
    }

    /**
     * The stage without marks.
     *
     * @param every whether each rule is to stay that a packet would come to if those before it were
     *     not: the ones behind a decision about all packets, and those that set marks, too
     */
    static Unmarked of(Stage stage, boolean every) {
        boolean sets =
                !stage.vantage().marks().equals(MarkState.OLD)
                        || stage.chains().values().stream()
                                .flatMap(List::stream)
                                .anyMatch(rule -> rule.effect() instanceof Effect.Mark);
        if (!sets || !new Marks(stage, every).asks(stage.base())) {
            return new Unmarked(stage, new IdentityHashMap<>());
        }
        try {
            Marks marks = new Marks(stage, every);
            Rest all = new Rest(stage.base(), 0, null);
            marks.chains.put(stage.base(), marks.rules(all, marks.start));
            return marks.unmarked();
        } catch (TooManyException | IllegalArgumentException e) { // or chains that lead too deep
            return open(stage);
        }
    }

    /** The stage with marks that nobody knows. */
    static Unmarked open(Stage stage) {
        Marks unknown = new Marks(stage, true);
        stage.chains().forEach(unknown::leaveOpen);
        return unknown.unmarked();
    }

    private void leaveOpen(String chain, List<PolicyRule> rules) {
        List<PolicyRule> open = new ArrayList<>();
        for (PolicyRule rule : rules) {
            open.add(with(rule, told(rule.condition(), one -> UNKNOWN), rule.effect()));
        }
        chains.put(chain, open);
    }

    private Unmarked unmarked() {
        Stage unmarked =
                new Stage(
                        stage.name(),
                        stage.base(),
                        chains,
                        stage.end(),
                        stage.vantage(),
                        stage.judges());
        return new Unmarked(unmarked, originals);
    }

    /** The chain of what is left to packets of a mark. */
    private String chain(Rest rest, MarkState mark) {
        boolean asks = asks(rest);
        MarkState asked = asks ? mark : start;
        boolean whole = rest.from == 0 && rest.behind == null;
        if (whole && (!asks || asked.equals(MarkState.OLD) && !sets(rest.chain))) {
            keep(rest.chain);
            return rest.chain;
        }
        Reached reached = new Reached(rest, asked);
        String known = names.get(reached);
        if (known != null) {
            return known;
        }
        String name =
                "%s %d %x/%x %d"
                        .formatted(
                                rest.chain, rest.from, asked.bits(), asked.known(), names.size());
        names.put(reached, name);
        if (names.size() > MOST || ++depth > MOST_DEEP) {
            throw new TooManyException();
        }
        chains.put(name, rules(rest, asked));
        depth--;
        return name;
    }

    /** Takes a chain as it is, with those that it leads to. */
    private void keep(String chain) {
        if (chains.put(chain, rules(chain)) == null) {
            rules(chain).stream().map(Stage::target).filter(Objects::nonNull).forEach(this::keep);
        }
    }

    private List<PolicyRule> rules(String chain) {
        return Objects.requireNonNull(stage.chains().get(chain), chain);
    }

    private List<PolicyRule> rules(Rest rest, MarkState before) {
        List<PolicyRule> left = new ArrayList<>();
        List<PolicyRule> rules = rules(rest.chain);
        MarkState mark = before;
        for (int i = rest.from; i < rules.size(); i++) {
            PolicyRule rule = rules.get(i);
            Condition condition = of(rule.condition(), mark);
            Rest behind = new Rest(rest.chain, i + 1, rest.behind);
            if (condition.equals(Condition.NEVER)) {
                continue;
            }
            boolean always = condition.equals(Condition.ALWAYS);
            Effect effect = rule.effect();
            if (effect instanceof Effect.Mark change) {
                MarkState next = mark.after(change);
                boolean parts = !always && !next.equals(mark) && asks(behind);
                mark = always ? next : mark;
                if (parts) {
                    left.add(with(rule, condition, new Effect.Goto(chain(behind, next))));
                } else if (every) {
                    left.add(with(rule, condition, effect));
                }
                continue;
            }
            Effect now = effect(effect, rest, behind, mark);
            left.add(with(rule, condition, now));
            boolean stays = now instanceof Effect.Continue || now instanceof Effect.Jump;
            if (always && !stays) {
                boolean ends = every && !(effect instanceof Effect.Jump);
                addUnmet(ends ? rules.subList(i + 1, rules.size()) : List.of(), left);
                if (!ends || rest.behind == null || !(effect instanceof Effect.Decide)) {
                    return left;
                }
                break; // the rest of the callers' chains, which no packet comes to, either
            }
        }
        if (rest.behind != null) {
            Effect goes = new Effect.Goto(chain(rest.behind, mark));
            left.add(new PolicyRule(NOBODYS, Condition.ALWAYS, goes, ""));
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
        if (effect instanceof Effect.Return && rest.behind != null) {
            return new Effect.Goto(chain(rest.behind, mark));
        }
        if (effect instanceof Effect.Goto move) {
            return new Effect.Goto(chain(new Rest(move.chain(), 0, rest.behind), mark));
        }
        if (!(effect instanceof Effect.Jump jump)) {
            return effect;
        }
        return sets(jump.chain()) && asks(behind)
                ? new Effect.Goto(chain(new Rest(jump.chain(), 0, behind), mark))
                : new Effect.Jump(chain(new Rest(jump.chain(), 0, null), mark));
    }

    private PolicyRule with(PolicyRule rule, Condition condition, Effect effect) {
        if (condition.equals(rule.condition()) && effect.equals(rule.effect())) {
            return rule;
        }
        PolicyRule changed = rule.with(condition, effect);
        originals.put(changed, rule);
        return changed;
    }

    /** Returns whether a rule sets a mark that packets of a chain come to. */
    private boolean sets(String chain) {
        return known(setting, chain, this::sets);
    }

    private boolean sets(PolicyRule rule) {
        String target = Stage.target(rule);
        return rule.effect() instanceof Effect.Mark || target != null && sets(target);
    }

    private boolean asks(Rest rest) {
        List<PolicyRule> rules = rules(rest.chain);
        boolean own =
                rest.from == 0
                        ? asks(rest.chain)
                        : rules.subList(rest.from, rules.size()).stream().anyMatch(this::asks);
        return own || rest.behind != null && asks(rest.behind);
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

    /** The condition of packets with a mark. */
    private static Condition of(Condition condition, MarkState mark) {
        return mark.equals(MarkState.OLD) ? condition : told(condition, one -> asked(one, mark));
    }

    private static Condition asked(Condition condition, MarkState mark) {
        if (condition instanceof Condition.Bits bits) {
            return of(bits.value().intValue(), bits.mask().intValue(), mark);
        }
        if (condition instanceof Condition.In in && mark.known() == -1) {
            BigInteger value = BigInteger.valueOf(Integer.toUnsignedLong(mark.bits()));
            boolean holds = in.values().contains(value);
            if (mark.ofNat() != 0) {
                Condition met = Condition.all(MEETS_NAT, UNKNOWN);
                return holds ? Condition.any(Condition.not(MEETS_NAT), met) : met;
            }
            return holds ? Condition.ALWAYS : Condition.NEVER;
        }
        return UNKNOWN;
    }

    /** A condition in which others stand for those on the mark. */
    private static Condition told(Condition condition, UnaryOperator<Condition> marks) {
        if (condition instanceof Condition.Not not) {
            Condition inner = told(not.condition(), marks);
            return inner.equals(Condition.NEVER)
                    ? Condition.ALWAYS
                    : inner.equals(Condition.ALWAYS) ? Condition.NEVER : Condition.not(inner);
        }
        if (condition instanceof Condition.All all) {
            return told(all.conditions(), marks, true);
        }
        if (condition instanceof Condition.Any any) {
            return told(any.conditions(), marks, false);
        }
        boolean isOfNoMark = condition.equals(Condition.is(Field.MARK_PRESENT, 0));
        return isOfNoMark // the mark beside it says this, too
                ? Condition.NEVER
                : MarkState.isAsked(condition) ? marks.apply(condition) : condition;
    }

    private static Condition told(
            List<Condition> conditions, UnaryOperator<Condition> marks, boolean all) {
        Condition none = all ? Condition.ALWAYS : Condition.NEVER;
        Condition whole = all ? Condition.NEVER : Condition.ALWAYS;
        List<Condition> left = new ArrayList<>();
        for (Condition one : conditions) {
            Condition now = told(one, marks);
            if (now.equals(whole)) {
                return whole;
            }
            if (!now.equals(none)) {
                left.add(now);
            }
        }
        return left.size() == 1
                ? left.get(0)
                : all ? new Condition.All(left) : new Condition.Any(left);
    }

    private static Condition of(int value, int mask, MarkState mark) {
        Condition told = told(value, mask & ~mark.lost(), mark);
        int ofNat = mask & mark.ofNat();
        if (ofNat != 0) {
            told =
                    Condition.any(
                            Condition.all(told, Condition.not(MEETS_NAT)),
                            Condition.all(
                                    told(value, mask & ~mark.lost() & ~ofNat, mark),
                                    MEETS_NAT,
                                    UNKNOWN));
        }
        return (mask & mark.lost()) == 0 || told.equals(Condition.NEVER)
                ? told
                : Condition.all(told, UNKNOWN);
    }

    /** The condition on bits of which each is known, or as the packet came with it. */
    private static Condition told(int value, int mask, MarkState mark) {
        int differing = value ^ mark.bits();
        int old = mask & ~mark.known();
        if ((differing & mask & mark.known()) != 0) {
            return Condition.NEVER;
        }
        if (old == 0) {
            return Condition.ALWAYS;
        }
        Condition stated = new Condition.Bits(Field.MARK, differing & old, old);
        return (differing & old) == 0
                ? Condition.any(stated, Condition.is(Field.MARK_PRESENT, 0))
                : stated;
    }
}
