package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Tracking;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on {@code ct direction} and {@code ct status} that a connection tracker knows. A
 * packet without a connection meets no comparison (net/netfilter/nft_ct.c).
 */
final class ConnectionBits {
    /** Bits of a status, from the lowest. There are no helpers, so that none is expected. */
    private static final List<Condition> STATUS =
            List.of(
                    Condition.NEVER,
                    Condition.is(Field.CONNECTION_ANSWERED, 1),
                    Condition.is(Field.CONNECTION_ASSURED, 1),
                    Condition.is(Field.CONNECTION_CONFIRMED, 1));

    private static final List<Condition> DIRECTIONS = List.of(Tracking.ORIGINAL, Tracking.REPLY);

    private static final BigInteger KNOWN = BigInteger.valueOf((1 << STATUS.size()) - 1);

    private ConnectionBits() {}

    /**
     * The condition of a comparison.
     *
     * @param operator as it is written, maybe empty
     * @param words the comparison
     * @return null: no tracker knows it
     */
    static @Nullable Condition compared(
            DataType type, String operator, Node right, Condition.Unknown words)
            throws RefusedException {
        boolean plain = right.map().isEmpty() || right.key().equals("|");
        if (type == DataType.CT_DIRECTION && operator.matches("|==|!=") && plain) {
            ValueSet original = ValueSet.of(0);
            boolean is = Values.of(right, type).equals(original) != operator.equals("!=");
            return new Condition.Tracked(is ? Tracking.ORIGINAL : Tracking.REPLY, words.words());
        }
        if (type != DataType.CT_STATUS || !operator.matches("|in|!") || !plain) {
            return null;
        }
        BigInteger mask = Values.one(right, type);
        List<Condition> some = new ArrayList<>();
        for (int bit = 0; bit < STATUS.size(); bit++) {
            if (mask.testBit(bit)) {
                some.add(STATUS.get(bit));
            }
        }
        Condition known = new Condition.Any(some);
        boolean whole = mask.andNot(KNOWN).signum() == 0;
        if (operator.equals("!")) {
            Condition none = tracked(Condition.not(known), words);
            return whole ? none : Condition.all(none, words);
        }
        Condition any = tracked(known, words);
        return whole
                ? any
                : Condition.any(any, Condition.all(tracked(Condition.ALWAYS, words), words));
    }

    /**
     * The condition that bits of the status are as told.
     *
     * @return null: no tracker knows them
     */
    static @Nullable Condition status(
            BigInteger value, BigInteger mask, boolean equal, Condition.Unknown words) {
        if (mask.andNot(KNOWN).signum() != 0) {
            return null;
        }
        List<Condition> all = new ArrayList<>();
        for (int bit = 0; bit < STATUS.size(); bit++) {
            if (mask.testBit(bit)) {
                Condition one = STATUS.get(bit);
                all.add(value.testBit(bit) ? one : Condition.not(one));
            }
        }
        Condition bits =
                value.andNot(mask).signum() == 0 ? new Condition.All(all) : Condition.NEVER;
        return tracked(equal ? bits : Condition.not(bits), words);
    }

    /** The load of a direction or a status that is looked up; other loads as they are. */
    static Loading looked(Loading load) {
        boolean known = load.type() == DataType.CT_DIRECTION || load.type() == DataType.CT_STATUS;
        return known && load instanceof Loading.Unseen unseen
                ? new Looked(unseen.type(), new Condition.Unknown(unseen.words()))
                : load;
    }

    /** A direction or a whole status, of which a tracker knows the lowest bits alone. */
    private record Looked(DataType type, Condition.Unknown words) implements Loading {
        @Override
        public Condition where(Condition value) {
            return value instanceof Condition.Tracked // of a packet with a connection
                    ? value
                    : Conditions.all(tracked(Condition.ALWAYS, words), value);
        }

        @Override
        public Condition in(ValueSet values) {
            List<Condition> any = new ArrayList<>();
            if (type == DataType.CT_DIRECTION) {
                for (int i = 0; i < DIRECTIONS.size(); i++) {
                    if (values.contains(BigInteger.valueOf(i))) {
                        any.add(DIRECTIONS.get(i));
                    }
                }
                return new Condition.Tracked(Conditions.any(any), words.words());
            }
            for (ValueSet.Range range : values.ranges()) {
                BigInteger end = range.low().add(KNOWN).min(range.high());
                for (BigInteger i = range.low(); i.compareTo(end) <= 0; i = i.add(BigInteger.ONE)) {
                    any.add(Conditions.all(bits(i.and(KNOWN), KNOWN), words));
                }
            }
            return Conditions.any(any);
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            Condition known = status(value, mask, true, words);
            return known == null ? words : known;
        }
    }

    private static Condition tracked(Condition bits, Condition.Unknown words) {
        return new Condition.Tracked(Condition.all(Tracking.CONNECTED, bits), words.words());
    }
}
