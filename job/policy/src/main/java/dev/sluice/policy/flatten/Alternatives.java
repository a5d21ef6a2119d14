package dev.sluice.policy.flatten;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.ReversePaths;
import dev.sluice.policy.model.Tracking;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Disjunctive normal forms of conditions under assumptions. */
final class Alternatives {
    /** Most alternatives of a rule. */
    static final int MOST = 500_000;

    private static final List<Alternative> ALWAYS = List.of(Alternative.ALL);
    private static final List<Alternative> MAYBE = List.of(new Alternative(Boxes.ALL, true));

    private static final Set<Integer> NONE = Set.of();

    /** Fields that captures state where rules ask for them, and IP versions that have them. */
    private static final Map<Field, Set<Integer>> UNSTATED =
            Map.of(
                    Field.TTL, Set.of(Field.VERSION_4, Field.VERSION_6),
                    Field.IP_LENGTH, Set.of(Field.VERSION_4, Field.VERSION_6),
                    Field.IPV6_EXTENSIONS, Set.of(Field.VERSION_6));

    private final Assumptions assumed;
    private final Vantage vantage;
    private final Sets sets;

    /** Conditions that stand for themselves elsewhere. */
    interface Sets {
        /** The alternatives of a condition that is a set; null: it is none. */
        @Nullable List<Alternative> alternatives(Condition condition, boolean negated);
    }

    /** More than {@link #MOST} alternatives. */
    static final class TooManyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooManyException() {
            super("a condition has more than " + MOST + " alternatives");
        }
    }

    /** Alternatives on packets as they arrive, of conditions on what a stage sees of them. */
    Alternatives(Assumptions assumed, Vantage vantage, Sets sets) {
        this.assumed = assumed;
        this.vantage = vantage;
        this.sets = sets;
    }

    /** The alternatives of a condition, none if no packet meets it. */
    List<Alternative> of(Condition condition) {
        return of(vantage.of(condition), false);
    }

    /** The alternatives of a condition on the packet as it arrives, or of its opposite. */
    List<Alternative> of(Condition condition, boolean negated) {
        if (condition instanceof Condition.Not not) {
            return of(not.condition(), !negated);
        }
        if (condition instanceof Condition.All all) {
            return negated
                    ? union(all.conditions(), true)
                    : product(withOneState(all.conditions()), false);
        }
        List<Alternative> ofSet = sets.alternatives(condition, negated);
        if (ofSet != null) {
            return ofSet;
        }
        if (condition instanceof Condition.Any any) {
            return negated ? product(any.conditions(), true) : union(any.conditions(), false);
        }
        if (condition instanceof Condition.In in) {
            Field field = in.field();
            ValueSet values = negated ? in.values().complement(field.bits()) : in.values();
            return stated(field, Boxes.of(field, values), negated);
        }
        if (condition instanceof Condition.Bits bits) {
            return stated(
                    bits.field(),
                    negated
                            ? otherBits(bits)
                            : List.of(Boxes.bits(bits.field(), bits.value(), bits.mask())),
                    negated);
        }
        if (condition instanceof Condition.InState asked) {
            Condition.InState one = negated ? others(asked) : asked;
            ConnectionState state = assumed.state();
            return of(
                    state == null && assumed.tracked()
                            ? Tracking.told(one)
                            : Tracking.condition(
                                    one, Objects.requireNonNull(state, "assumed state")),
                    false);
        }
        if (condition instanceof Condition.Tracked asked && assumed.tracked()) {
            Condition told =
                    assumed.state() == ConnectionState.UNTRACKED
                            ? Tracking.untracked(negated ? Condition.not(asked) : asked)
                            : Tracking.told(asked, negated);
            return of(told, false);
        }
        if (condition instanceof Condition.Interface name) {
            String known = name.incoming() ? assumed.inInterface() : assumed.outInterface();
            return known == null
                    ? ofUnsaid(name, negated)
                    : name.fits(known) == negated ? List.of() : ALWAYS;
        }
        if (condition instanceof Condition.OfHost asked && assumed.host() != null) {
            return of(
                    vantage.translated(ReversePaths.condition(assumed.host(), asked, negated)),
                    false);
        }
        if (condition instanceof Condition.Within within) {
            return of(within, negated);
        }
        return settled(condition, negated); // also Condition.Unknown
    }

    /** The alternatives of an interface that nobody names for all packets. */
    private List<Alternative> ofUnsaid(Condition.Interface name, boolean negated) {
        List<Alternative> otherwise =
                name.incoming() || assumed.host() == null
                        ? settled(name, negated)
                        : of(leaving(settled(name, assumed.host().leaving(name))), negated);
        AskedFacts asked = assumed.asked();
        if (asked == null) {
            return otherwise;
        }
        Field field = name.incoming() ? Field.IN_INTERFACE : Field.OUT_INTERFACE;
        List<Alternative> all = new ArrayList<>();
        for (AskedFacts.Bits bits : asked.fitting(name, negated)) {
            all.add(new Alternative(Boxes.bits(field, bits), false));
        }
        for (AskedFacts.Bits bits : asked.unknown(name)) {
            Match unknown = Boxes.bits(field, bits);
            all.addAll(product(List.of(new Alternative(unknown, false)), otherwise));
        }
        return all;
    }

    private List<Alternative> settled(Condition condition, boolean negated) {
        Boolean holds = assumed.settled().get(condition);
        return holds == null ? MAYBE : holds == negated ? List.of() : ALWAYS;
    }

    /** The interface by a host's routes, where they leave it open as the world has it. */
    private Condition settled(Condition.Interface name, Condition byRoutes) {
        Boolean holds = assumed.settled().get(name);
        Condition open =
                holds == null ? Host.OPEN_ROUTE : holds ? Condition.ALWAYS : Condition.NEVER;
        return Condition.map(byRoutes, one -> one.equals(Host.OPEN_ROUTE) ? open : one);
    }

    /** The kernel settles the interface before nat of OUTPUT, yet routes anew behind it. */
    private Condition leaving(Condition before) {
        Condition behind = vantage.translated(before);
        return vantage.incoming() || behind.equals(before)
                ? behind
                : Condition.any(
                        Condition.all(before, behind),
                        Condition.all(
                                Condition.any(before, behind),
                                new Condition.Unknown("the interface behind nat")));
    }

    private List<Alternative> of(Condition.Within within, boolean negated) {
        if (assumed.time() != null) {
            boolean holds = within.period().holds(assumed.time().getEpochSecond());
            return holds == negated ? List.of() : ALWAYS;
        }
        AskedFacts.Bits bits =
                assumed.asked() == null ? null : assumed.asked().within(within.period(), negated);
        if (bits == null) {
            return MAYBE;
        }
        Match unknown = Boxes.bits(AskedFacts.TIMES, AskedFacts.NO_TIME);
        return List.of(
                new Alternative(Boxes.bits(AskedFacts.TIMES, bits), false),
                new Alternative(unknown, true));
    }

    /** The same conditions, of which at most one is on the state: a packet has one. */
    static List<Condition> withOneState(List<Condition> conditions) {
        Set<ConnectionState> states = EnumSet.allOf(ConnectionState.class);
        List<Condition> joined = new ArrayList<>();
        for (Condition one : conditions) {
            if (one instanceof Condition.InState asked) {
                states.retainAll(asked.states());
            } else if (one instanceof Condition.Not not
                    && not.condition() instanceof Condition.InState asked) {
                states.removeAll(asked.states());
            } else {
                joined.add(one);
            }
        }
        if (joined.size() > conditions.size() - 2) {
            return conditions;
        }
        joined.add(states.isEmpty() ? Condition.NEVER : new Condition.InState(states));
        return joined;
    }

    /** The opposite, since each packet has one state. */
    private static Condition.InState others(Condition.InState asked) {
        Set<ConnectionState> others = EnumSet.allOf(ConnectionState.class);
        others.removeAll(asked.states());
        return new Condition.InState(others);
    }

    private static List<Match> otherBits(Condition.Bits bits) {
        return bits.others().stream()
                .map(one -> Boxes.bits(one.field(), one.value(), one.mask()))
                .toList();
    }

    /**
     * The boxes of packets that state a field, and those that lack it.
     *
     * @param lack whether packets that lack the field are meant, too
     */
    private List<Alternative> stated(Field field, List<Match> boxes, boolean lack) {
        List<Alternative> all = new ArrayList<>(boxes.size() + 1);
        boxes.forEach(box -> all.add(new Alternative(box, false)));
        Match lacking = Boxes.lacking(field);
        if (lacking == null) {
            return all;
        }
        Set<Integer> versions = assumed.unstated() ? UNSTATED.getOrDefault(field, NONE) : NONE;
        if (versions.isEmpty()) {
            if (lack) {
                all.add(new Alternative(lacking, false));
            }
            return all;
        }
        for (int version : List.of(Field.VERSION_NONE, Field.VERSION_4, Field.VERSION_6)) {
            boolean unknown = versions.contains(version);
            if (lack || unknown) {
                Match of = new Match.Builder().field(Field.IP_VERSION, version).build();
                Match box = Objects.requireNonNull(lacking.and(of));
                all.add(new Alternative(box, unknown));
            }
        }
        return all;
    }

    private List<Alternative> union(List<Condition> conditions, boolean negated) {
        Set<Alternative> all = new LinkedHashSet<>();
        for (Condition condition : conditions) {
            List<Alternative> more = of(condition, negated);
            if (more.stream().anyMatch(Alternative::isCertain)) {
                return ALWAYS;
            }
            all.addAll(more);
            requireFew(all);
        }
        return List.copyOf(all);
    }

    private List<Alternative> product(List<Condition> conditions, boolean negated) {
        List<List<Alternative>> factors = new ArrayList<>();
        for (Condition condition : conditions) {
            factors.add(of(condition, negated));
        }
        factors.sort(Comparator.comparingInt(List::size)); // few intersections for the first ones
        List<Alternative> all = ALWAYS;
        for (List<Alternative> factor : factors) {
            all = product(all, factor);
        }
        return all;
    }

    /** The packets of both. */
    static List<Alternative> product(List<Alternative> some, List<Alternative> others) {
        if (some.equals(ALWAYS)) {
            return others;
        }
        if (others.equals(ALWAYS)) {
            return some;
        }
        if (some.size() == 1 && others.size() == 1) { // as of each element of a set
            Alternative a = some.get(0);
            Alternative b = others.get(0);
            Match box = a.box().and(b.box());
            return box == null
                    ? List.of()
                    : List.of(new Alternative(box, a.unknown() || b.unknown()));
        }
        Set<Alternative> all = new LinkedHashSet<>();
        for (Alternative a : some) {
            for (Alternative b : others) {
                Match box = a.box().and(b.box());
                if (box != null) {
                    all.add(new Alternative(box, a.unknown() || b.unknown()));
                }
            }
            requireFew(all);
        }
        return List.copyOf(all);
    }

    private static void requireFew(Set<Alternative> all) {
        if (all.size() > MOST) {
            throw new TooManyException();
        }
    }
}
