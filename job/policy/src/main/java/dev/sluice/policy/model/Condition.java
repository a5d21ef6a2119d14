package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Condition of a rule on a packet. */
public sealed interface Condition {
    /** The condition of every packet. */
    Condition ALWAYS = new All(List.of());

    /** The condition of no packet. */
    Condition NEVER = new Any(List.of());

    /** All conditions together. */
    record All(List<Condition> conditions) implements Condition {
        /** Copies the list. */
        public All {
            conditions = List.copyOf(conditions);
        }
    }

    /** At least one of the conditions. */
    record Any(List<Condition> conditions) implements Condition {
        /** Copies the list. */
        public Any {
            conditions = List.copyOf(conditions);
        }
    }

    /** The opposite, also of packets that lack a field which the condition names. */
    record Not(Condition condition) implements Condition {}

    /** A field that the packet has, by its present bit, with a value of a set. */
    record In(Field field, ValueSet values) implements Condition {}

    /** Bits of a field that the packet has, by its present bit; both as unsigned numbers. */
    record Bits(Field field, BigInteger value, BigInteger mask) implements Condition {
        /** Bits of a field of at most 32 bits. */
        public Bits(Field field, int value, int mask) {
            this(
                    field,
                    BigInteger.valueOf(Integer.toUnsignedLong(value)),
                    BigInteger.valueOf(Integer.toUnsignedLong(mask)));
        }

        /** Conditions of which packets that have the field meet one, where they fail this one. */
        public List<Bits> others() {
            return IntStream.range(0, mask.bitLength())
                    .filter(mask::testBit)
                    .mapToObj(BigInteger.ONE::shiftLeft)
                    .map(bit -> new Bits(field, value.not().and(bit), bit))
                    .toList();
        }
    }

    /** The packet's connection in one of some states. */
    record InState(Set<ConnectionState> states) implements Condition {
        /** Copies the set. */
        public InState {
            states = Set.copyOf(states);
        }
    }

    /**
     * A condition on bits of the connection's word, known where connections are tracked.
     *
     * @param bits conditions of all kinds on {@link Field#CONNECTION_STATE} and the bits beside it
     * @param words the condition in the words of its rule
     */
    record Tracked(Condition bits, String words) implements Condition {}

    /**
     * An interface of a name.
     *
     * @param incoming whether the packet came in by it, else it is to leave by it
     * @param name its name; a final {@code +} stands for any further characters
     */
    record Interface(boolean incoming, String name) implements Condition {
        /** Returns whether the name of a packet's interface fits. */
        public boolean fits(String other) {
            return name.endsWith("+")
                    ? other.startsWith(name.substring(0, name.length() - 1))
                    : other.equals(name);
        }
    }

    /** Type of an address, as a host knows it. */
    enum AddressType {
        /** Address of one of its interfaces. */
        LOCAL,
        /** Broadcast address of a network of one of its interfaces. */
        BROADCAST,
        /** Address to which packets leave by the interface that the packet came in by. */
        RETURNING
    }

    /**
     * An address of a type that the host's interfaces and routes tell; loopback and addresses of
     * groups aside.
     *
     * @param words the condition in the words of its rule
     */
    record OfHost(Field field, AddressType type, String words) implements Condition {}

    /**
     * A period of time in which the packet is judged.
     *
     * @param words the condition in the words of its rule
     */
    record Within(Period period, String words) implements Condition {}

    /**
     * A condition on something that no header tells.
     *
     * @param words the condition in the words of its rule
     */
    record Unknown(String words) implements Condition {}

    /** All conditions together. */
    static Condition all(Condition... conditions) {
        return conditions.length == 1 ? conditions[0] : new All(List.of(conditions));
    }

    /** At least one of the conditions. */
    static Condition any(Condition... conditions) {
        return conditions.length == 1 ? conditions[0] : new Any(List.of(conditions));
    }

    /** The opposite of a condition. */
    static Condition not(Condition condition) {
        return condition instanceof Not not ? not.condition : new Not(condition);
    }

    /** A field of one value. */
    static Condition is(Field field, long value) {
        return new In(field, ValueSet.of(value));
    }

    /** The conditions that hold together where one holds: those of an {@link All}, or itself. */
    static List<Condition> parts(Condition of) {
        return of instanceof All all ? all.conditions : List.of(of);
    }

    /** Returns whether a condition without parts, of those within one, is of some kind. */
    static boolean has(Condition of, Predicate<Condition> leaf) {
        if (of instanceof Not not) {
            return has(not.condition, leaf);
        }
        if (of instanceof All all) {
            return all.conditions.stream().anyMatch(one -> has(one, leaf));
        }
        return of instanceof Any any
                ? any.conditions.stream().anyMatch(one -> has(one, leaf))
                : leaf.test(of);
    }

    /** Shows the conditions without parts within one, in order. */
    static void forEachLeaf(Condition of, Consumer<Condition> leaf) {
        if (of instanceof Not not) {
            forEachLeaf(not.condition, leaf);
        } else if (of instanceof All all) {
            all.conditions.forEach(one -> forEachLeaf(one, leaf));
        } else if (of instanceof Any any) {
            any.conditions.forEach(one -> forEachLeaf(one, leaf));
        } else {
            leaf.accept(of);
        }
    }

    /** The condition in which others stand for those without parts. */
    static Condition map(Condition of, UnaryOperator<Condition> leaf) {
        if (of instanceof Not not) {
            return not(map(not.condition, leaf));
        }
        if (of instanceof All all) {
            return new All(all.conditions.stream().map(one -> map(one, leaf)).toList());
        }
        return of instanceof Any any
                ? new Any(any.conditions.stream().map(one -> map(one, leaf)).toList())
                : leaf.apply(of);
    }

    /** The field of an {@link In} or {@link Bits}; null: it is another condition. */
    static @Nullable Field field(Condition of) {
        if (of instanceof In in) {
            return in.field;
        }
        return of instanceof Bits bits ? bits.field : null;
    }

    /** Returns whether a value of its field meets an {@link In} or {@link Bits}. */
    static boolean holds(Condition of, BigInteger value) {
        if (of instanceof In in) {
            return in.values.contains(value);
        }
        Bits bits = (Bits) of;
        return value.xor(bits.value).and(bits.mask).signum() == 0;
    }
}
