package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.SeenProtocol;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Loading of a value from a packet, and conditions on the value. Where the kernel cannot load it,
 * no comparison holds, negated or not.
 */
interface Loading {
    /** Widest values whose bits are counted one by one. */
    int COUNTED_BITS = 16;

    /** The type of its values. */
    DataType type();

    /** The condition that a value is loaded of which a condition holds. */
    Condition where(Condition value);

    /** The condition that the value is one of a set; it need not ask whether there is a value. */
    Condition in(ValueSet values);

    /** The opposite of {@link #in}, of a packet that has a value. */
    default Condition notIn(ValueSet values) {
        return Condition.not(in(values));
    }

    /** The condition that bits of the value are as told. */
    Condition bits(BigInteger value, BigInteger mask);

    /**
     * A field of the header.
     *
     * @param needs what nft or the kernel asks of packets before
     * @param known packets that have the value; of others it is unknown
     * @param shift bits of the field to the right of the value
     */
    record OfField(DataType type, Condition needs, Condition known, Field field, int shift)
            implements Loading {
        @Override
        public Condition where(Condition value) {
            if (known.equals(Condition.ALWAYS)) {
                return Conditions.all(needs, value);
            }
            Condition unknown = new Condition.Unknown("a header that is cut or elsewhere");
            return Conditions.all(
                    needs,
                    Condition.any(
                            Conditions.all(known, value),
                            Conditions.all(Condition.not(known), unknown)));
        }

        @Override
        public Condition in(ValueSet values) {
            boolean whole = type.bits() == field.bits() || isPort();
            if (whole) {
                return new Condition.In(field, values);
            }
            if (shift + type.bits() == field.bits()) {
                return new Condition.In(field, shifted(values));
            }
            List<Condition> any = new ArrayList<>();
            for (ValueSet.Range range : values.ranges()) {
                for (int i = range.low().intValue(); i <= range.high().intValue(); i++) {
                    any.add(bits(i, (1 << type.bits()) - 1));
                }
            }
            return Conditions.any(any);
        }

        private boolean isPort() {
            return field.equals(Field.SRC_PORT) || field.equals(Field.DST_PORT);
        }

        private Condition bits(int value, int mask) {
            return new Condition.Bits(field, value << shift, mask << shift);
        }

        private ValueSet shifted(ValueSet values) {
            BigInteger rest = ValueSet.ones(shift);
            return new ValueSet(
                    values.ranges().stream()
                            .map(
                                    range ->
                                            new ValueSet.Range(
                                                    range.low().shiftLeft(shift),
                                                    range.high().shiftLeft(shift).or(rest)))
                            .toList());
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            if (!value.andNot(mask).equals(BigInteger.ZERO)) {
                return Condition.NEVER;
            }
            if (isPort() && type.bits() <= COUNTED_BITS) {
                return in(valuesWith(value, mask, type.bits()));
            }
            if (field.bits() <= Integer.SIZE) {
                return bits(value.intValue(), mask.intValue());
            }
            int free = mask.getLowestSetBit();
            boolean prefix = free >= 0 && mask.shiftRight(free).bitCount() == type.bits() - free;
            if (!prefix) {
                return new Condition.Unknown("bits of an address under a mask with holes");
            }
            BigInteger rest = ValueSet.ones(free);
            return in(ValueSet.of(value, value.or(rest)));
        }
    }

    /** The values of some bits that are these under a mask. */
    private static ValueSet valuesWith(BigInteger value, BigInteger mask, int bits) {
        List<ValueSet.Range> ranges = new ArrayList<>();
        for (int i = 0; i < 1 << bits; i++) {
            if ((i & mask.intValue()) == value.intValue()) {
                BigInteger one = BigInteger.valueOf(i);
                ranges.add(new ValueSet.Range(one, one));
            }
        }
        return new ValueSet(ranges);
    }

    /**
     * The transport protocol.
     *
     * @param v6 whether packets may be of IPv6
     */
    record OfProtocol(boolean v6) implements Loading {
        @Override
        public DataType type() {
            return DataType.PROTOCOL;
        }

        @Override
        public Condition where(Condition value) {
            return value;
        }

        @Override
        public Condition in(ValueSet values) {
            return v6 ? SeenProtocol.in(values) : new Condition.In(Field.IP_PROTO, values);
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            return in(valuesWith(value, mask, Byte.SIZE));
        }
    }

    /** A value of which each class of packets has one, or an unknown one. */
    record OfClasses(DataType type, Condition needs, List<PacketClass> classes) implements Loading {
        @Override
        public Condition where(Condition value) {
            return Conditions.all(needs, value);
        }

        @Override
        public Condition in(ValueSet values) {
            return of(values::contains);
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            return of(one -> one.and(mask).equals(value));
        }

        private Condition of(Predicate<BigInteger> meant) {
            return Conditions.any(
                    classes.stream()
                            .filter(one -> meant.test(one.value))
                            .map(PacketClass::packets)
                            .toList());
        }
    }

    /** Packets whose value is the same. */
    record PacketClass(BigInteger value, Condition packets) {}

    /** A value that no header tells. */
    record Unseen(DataType type, Condition needs, String words) implements Loading {
        @Override
        public Condition where(Condition value) {
            return compared(words);
        }

        /** The condition of a comparison in words, which nobody knows. */
        Condition compared(String comparison) {
            return Conditions.all(needs, new Condition.Unknown(comparison));
        }

        @Override
        public Condition in(ValueSet values) {
            return Condition.ALWAYS;
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            return Condition.ALWAYS;
        }
    }

    /** An interface of a packet, whose values are names. */
    record OfInterface(DataType type, boolean incoming) implements Loading {
        @Override
        public Condition where(Condition value) {
            return value;
        }

        @Override
        public Condition in(ValueSet values) {
            throw new IllegalStateException("interfaces are compared by name");
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            throw new IllegalStateException("interfaces are compared by name");
        }
    }

    /** The fragment offset and flags of IPv4. */
    record OfFragment(Condition needs) implements Loading {
        private static final int OFFSET = 0x1fff;
        private static final int MORE = 0x2000;
        private static final int REST = 0xc000;

        @Override
        public DataType type() {
            return DataType.SHORT;
        }

        @Override
        public Condition where(Condition value) {
            return Conditions.all(needs, value);
        }

        @Override
        public Condition in(ValueSet values) {
            if (values.ranges().size() == 1
                    && values.ranges().get(0).low().equals(values.ranges().get(0).high())) {
                return bits(values.ranges().get(0).low(), BigInteger.valueOf(0xffff));
            }
            return new Condition.Unknown("the place of a fragment");
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            int asked = mask.intValue();
            int wanted = value.intValue();
            Condition rest =
                    (asked & REST) == 0
                            ? Condition.ALWAYS
                            : new Condition.Unknown("flags of a fragment");
            List<Condition> any = new ArrayList<>();
            if ((wanted & (OFFSET | MORE)) == 0) {
                any.add(Conditions.all(fragment(Field.FRAGMENT_NONE), rest));
            }
            if ((wanted & (OFFSET | MORE)) == (asked & MORE)) {
                any.add(Conditions.all(fragment(Field.FRAGMENT_FIRST), rest));
            }
            boolean whole = (asked & OFFSET) == OFFSET;
            if (!whole || (wanted & OFFSET) != 0) {
                any.add(
                        Conditions.all(
                                fragment(Field.FRAGMENT_LATER),
                                asked == 0
                                        ? Condition.ALWAYS
                                        : new Condition.Unknown("the place of a fragment")));
            }
            return Conditions.any(any);
        }

        private static Condition fragment(int kind) {
            return Condition.is(Field.FRAGMENT, kind);
        }
    }

    /** The mark, which is 0 of a packet that states none. */
    record OfMark() implements Loading {
        @Override
        public DataType type() {
            return DataType.MARK;
        }

        @Override
        public Condition where(Condition value) {
            return value;
        }

        @Override
        public Condition in(ValueSet values) {
            return orNone(new Condition.In(Field.MARK, values), values.contains(BigInteger.ZERO));
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            if (!value.andNot(mask).equals(BigInteger.ZERO)) {
                return Condition.NEVER;
            }
            Condition bits = new Condition.Bits(Field.MARK, value.intValue(), mask.intValue());
            return orNone(bits, value.signum() == 0);
        }

        private static Condition orNone(Condition stated, boolean zero) {
            return zero ? Condition.any(stated, Condition.is(Field.MARK_PRESENT, 0)) : stated;
        }
    }
}
