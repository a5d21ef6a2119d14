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

    private static Condition tracked(Condition bits, Condition.Unknown words) {
        return new Condition.Tracked(Condition.all(Tracking.CONNECTED, bits), words.words());
    }
}
