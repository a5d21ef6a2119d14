package dev.sluice.policy.convert;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Conditions that a packet meets all at once: a value of a set for each field, a state, interfaces.
 *
 * @param values set of each field that is asked for
 * @param bits value and mask of each field whose bits are asked for
 * @param states states of the connection; all: none is asked for
 * @param interfaces interfaces that fit
 * @param others interfaces that do not fit
 * @param fails conditions that the packet fails, also where it lacks their field
 * @param unknown words of conditions that no header tells
 */
record Conjunct(
        Map<Field, ValueSet> values,
        Map<Field, Bits> bits,
        Set<ConnectionState> states,
        Set<Condition.Interface> interfaces,
        Set<Condition.Interface> others,
        Set<Condition> fails,
        List<String> unknown) {
    /** Most conjuncts of a condition. */
    private static final int MOST = 10_000;

    /** Bits of a field. */
    record Bits(BigInteger value, BigInteger mask) {}

    private static final Bits NO_BITS = new Bits(BigInteger.ZERO, BigInteger.ZERO);

    /** More than {@link #MOST} conjuncts. */
    static final class TooManyException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /**
     * Fields that each packet of a firewall has, so that it says of no packet that it lacks one.
     */
    private static final Set<Field> WHOLE = Set.of(Field.MARK, Field.TTL, Field.IP_LENGTH);

    private static final Conjunct ALWAYS =
            new Conjunct(
                    Map.of(),
                    Map.of(),
                    EnumSet.allOf(ConnectionState.class),
                    Set.of(),
                    Set.of(),
                    Set.of(),
                    List.of());

    private static Conjunct of(Map<Field, ValueSet> values, Map<Field, Bits> bits) {
        return new Conjunct(values, bits, ALWAYS.states, Set.of(), Set.of(), Set.of(), List.of());
    }

    private static Conjunct failing(Condition condition) {
        return new Conjunct(
                Map.of(),
                Map.of(),
                ALWAYS.states,
                Set.of(),
                Set.of(),
                Set.of(condition),
                List.of());
    }

    /** The conjuncts of a condition: packets that meet one of them meet it. */
    static List<Conjunct> of(Condition condition) throws TooManyException {
        return of(condition, false);
    }

    private static List<Conjunct> of(Condition condition, boolean negated) throws TooManyException {
        if (condition instanceof Condition.Not not) {
            return of(not.condition(), !negated);
        }
        if (condition instanceof Condition.All all) {
            return negated ? firstThatFails(all.conditions()) : product(all.conditions(), false);
        }
        if (condition instanceof Condition.Any any) {
            return negated ? product(any.conditions(), true) : union(any.conditions(), false);
        }
        if (negated
                && (condition instanceof Condition.In in && WHOLE.contains(in.field())
                        || condition instanceof Condition.Bits b && WHOLE.contains(b.field()))) {
            return List.of(failing(condition));
        }
        if (condition instanceof Condition.In in) {
            return in(in, negated);
        }
        if (condition instanceof Condition.Bits bits) {
            return bits(bits, negated);
        }
        if (condition instanceof Condition.InState asked) {
            Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
            for (ConnectionState state : ConnectionState.values()) {
                if (asked.states().contains(state) != negated) {
                    states.add(state);
                }
            }
            return some(ALWAYS.with(states));
        }
        if (condition instanceof Condition.Interface name) {
            Set<Condition.Interface> one = Set.of(name);
            return List.of(
                    new Conjunct(
                            Map.of(),
                            Map.of(),
                            ALWAYS.states,
                            negated ? Set.of() : one,
                            negated ? one : Set.of(),
                            Set.of(),
                            List.of()));
        }
        String words =
                condition instanceof Condition.OfHost type
                        ? type.words()
                        : condition instanceof Condition.Within within
                                ? within.words()
                                : condition instanceof Condition.Tracked asked
                                        ? asked.words()
                                        : ((Condition.Unknown) condition).words();
        return List.of(
                new Conjunct(
                        Map.of(),
                        Map.of(),
                        ALWAYS.states,
                        Set.of(),
                        Set.of(),
                        Set.of(),
                        List.of(negated ? "not " + words : words)));
    }

    private Conjunct with(Set<ConnectionState> other) {
        return new Conjunct(values, bits, other, interfaces, others, fails, unknown);
    }

    private static List<Conjunct> some(@Nullable Conjunct conjunct) {
        boolean none = conjunct == null || conjunct.states.isEmpty();
        return none ? List.of() : List.of(conjunct);
    }

    private static List<Conjunct> in(Condition.In in, boolean negated) {
        Field field = in.field();
        ValueSet values = negated ? in.values().complement(field.bits()) : in.values();
        List<Conjunct> all = new ArrayList<>(some(ofValues(field, values)));
        all.addAll(lacking(field, negated));
        return all;
    }

    private static List<Conjunct> bits(Condition.Bits bits, boolean negated) {
        Field field = bits.field();
        if (!negated) {
            return some(ofBits(field, new Bits(bits.value().and(bits.mask()), bits.mask())));
        }
        List<Conjunct> all = new ArrayList<>();
        for (Condition.Bits one : bits.others()) {
            all.addAll(some(ofBits(field, new Bits(one.value(), one.mask()))));
        }
        all.addAll(lacking(field, true));
        return all;
    }

    private static List<Conjunct> lacking(Field field, boolean negated) {
        Field bit = field.present();
        return bit == null || !negated ? List.of() : some(ofValues(bit, ValueSet.of(0)));
    }

    private static @Nullable Conjunct ofValues(Field field, ValueSet values) {
        return values.ranges().isEmpty()
                ? null
                : present(of(Map.of(field, values), Map.of()), field);
    }

    private static @Nullable Conjunct ofBits(Field field, Bits bits) {
        return present(of(Map.of(), Map.of(field, bits)), field);
    }

    private static @Nullable Conjunct present(Conjunct own, Field field) {
        Field bit = field.present();
        return bit == null ? own : and(own, ofValues(bit, ValueSet.of(1)));
    }

    /** Packets that fail one of the conditions, by the first that they fail. */
    private static List<Conjunct> firstThatFails(List<Condition> conditions)
            throws TooManyException {
        List<Conjunct> all = new ArrayList<>();
        for (int i = 0; i < conditions.size(); i++) {
            List<Condition> one = new ArrayList<>(conditions.subList(0, i));
            one.add(Condition.not(conditions.get(i)));
            all.addAll(product(one, false));
            requireFew(all);
        }
        return all;
    }

    private static List<Conjunct> union(List<Condition> conditions, boolean negated)
            throws TooManyException {
        List<Conjunct> all = new ArrayList<>();
        for (Condition condition : conditions) {
            List<Conjunct> more = of(condition, negated);
            if (more.contains(ALWAYS)) {
                return List.of(ALWAYS);
            }
            more.stream().filter(one -> !all.contains(one)).forEach(all::add);
            requireFew(all);
        }
        return all;
    }

    private static List<Conjunct> product(List<Condition> conditions, boolean negated)
            throws TooManyException {
        List<Conjunct> all = List.of(ALWAYS);
        for (Condition condition : conditions) {
            List<Conjunct> both = new ArrayList<>();
            for (Conjunct b : of(condition, negated)) {
                for (Conjunct a : all) {
                    Conjunct one = and(a, b);
                    if (one != null && !both.contains(one)) {
                        both.add(one);
                    }
                }
                requireFew(both);
            }
            all = both;
        }
        return all;
    }

    private static void requireFew(List<Conjunct> all) throws TooManyException {
        if (all.size() > MOST) {
            throw new TooManyException();
        }
    }

    /** The packets of both; null: none. */
    private static @Nullable Conjunct and(@Nullable Conjunct a, @Nullable Conjunct b) {
        if (a == null || b == null) {
            return null;
        }
        Map<Field, ValueSet> values = new LinkedHashMap<>(a.values);
        for (Map.Entry<Field, ValueSet> more : b.values.entrySet()) {
            Field field = more.getKey();
            ValueSet before = values.get(field);
            values.put(
                    field,
                    before == null ? more.getValue() : both(before, more.getValue(), field.bits()));
        }
        Map<Field, Bits> bits = new LinkedHashMap<>(a.bits);
        for (Map.Entry<Field, Bits> more : b.bits.entrySet()) {
            Bits before = bits.getOrDefault(more.getKey(), NO_BITS);
            Bits after = more.getValue();
            if (before.value.xor(after.value).and(before.mask).and(after.mask).signum() != 0) {
                return null;
            }
            bits.put(
                    more.getKey(),
                    new Bits(before.value.or(after.value), before.mask.or(after.mask)));
        }
        if (values.values().stream().anyMatch(set -> set.ranges().isEmpty())) {
            return null;
        }
        Set<ConnectionState> states = EnumSet.copyOf(a.states);
        states.retainAll(b.states);
        if (states.isEmpty()) {
            return null;
        }
        return new Conjunct(
                values,
                bits,
                states,
                sum(a.interfaces, b.interfaces),
                sum(a.others, b.others),
                sum(a.fails, b.fails),
                List.copyOf(sum(Set.copyOf(a.unknown), Set.copyOf(b.unknown))));
    }

    private static <T> Set<T> sum(Set<T> a, Set<T> b) {
        Set<T> both = new LinkedHashSet<>(a);
        both.addAll(b);
        return both;
    }

    private static ValueSet both(ValueSet a, ValueSet b, int bits) {
        return a.complement(bits).or(b.complement(bits)).complement(bits);
    }

    /** The same packets, whatever their mark is. */
    Conjunct withoutMark() {
        Map<Field, ValueSet> values = new LinkedHashMap<>(this.values);
        values.remove(Field.MARK);
        values.remove(Field.MARK_PRESENT);
        Map<Field, Bits> bits = new LinkedHashMap<>(this.bits);
        bits.remove(Field.MARK);
        return new Conjunct(values, bits, states, interfaces, others, fails, unknown);
    }

    /** The same with one value of a field that it does not ask for. */
    Conjunct with(Field field, long value) {
        Map<Field, ValueSet> values = new LinkedHashMap<>(this.values);
        values.put(field, ValueSet.of(value));
        return new Conjunct(values, bits, states, interfaces, others, fails, unknown);
    }

    /** The set of a field; null: it is not asked for. */
    @Nullable ValueSet of(Field field) {
        return values.get(field);
    }

    /** The one value of a field; null: there are several, or it is not asked for. */
    @Nullable BigInteger single(Field field) {
        ValueSet set = values.get(field);
        if (set == null || set.ranges().size() != 1) {
            return null;
        }
        ValueSet.Range range = set.ranges().get(0);
        return range.low().equals(range.high()) ? range.low() : null;
    }
}
