package dev.sluice.policy.cisco;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;

/**
 * Conditions on one address of a packet.
 *
 * @param mixed whether lists hold addresses of both IP versions, so that each asks for its own
 */
record ListAddresses(boolean mixed) {
    static boolean isV6(String text) {
        return text.indexOf(':') >= 0;
    }

    /** The packets of an IP version. */
    static Condition version(boolean v6) {
        return Condition.is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4);
    }

    private static Field field(boolean source, boolean v6) {
        return v6
                ? source ? Field.IPV6_SRC : Field.IPV6_DST
                : source ? Field.IPV4_SRC : Field.IPV4_DST;
    }

    private static BigInteger number(String text, int column) throws RuleSyntaxException {
        return isV6(text)
                ? new BigInteger(1, Literals.ipv6(text, column))
                : BigInteger.valueOf(Integer.toUnsignedLong(Literals.ipv4(text, column)));
    }

    private Condition in(boolean source, boolean v6, BigInteger low, BigInteger high) {
        return of(v6, new Condition.In(field(source, v6), ValueSet.of(low, high)));
    }

    private Condition of(boolean v6, Condition address) {
        return mixed ? Condition.all(version(v6), address) : address;
    }

    /** One address. */
    Condition host(String text, int column, boolean source) throws RuleSyntaxException {
        BigInteger address = number(text, column);
        return in(source, isV6(text), address, address);
    }

    /** The addresses from one to another. */
    Condition range(String low, String high, LineWords words, boolean source)
            throws RuleSyntaxException {
        BigInteger first = number(low, words.column());
        BigInteger last = number(high, words.column());
        if (isV6(low) != isV6(high) || first.compareTo(last) > 0) {
            throw words.refused("is no address from " + low + " on; write the lower one first");
        }
        return in(source, isV6(low), first, last);
    }

    /** An address and the length of its prefix. */
    Condition prefix(String text, int column, boolean source) throws RuleSyntaxException {
        int slash = text.indexOf('/');
        boolean v6 = isV6(text);
        BigInteger address = number(text.substring(0, slash), column);
        int bits = v6 ? 128 : 32;
        int length = Literals.prefixLength(text.substring(slash + 1), column + slash + 1, bits);
        int free = bits - length;
        BigInteger low = address.shiftRight(free).shiftLeft(free);
        return length == 0 ? version(v6) : in(source, v6, low, low.or(ValueSet.ones(free)));
    }

    /** An IPv4 address of which the bits of a mask count. */
    Condition masked(int address, int mask, boolean source) {
        if (mask == 0) {
            return version(false);
        }
        int free = ~mask;
        return (free & free + 1) == 0
                ? in(
                        source,
                        false,
                        BigInteger.valueOf(Integer.toUnsignedLong(address & mask)),
                        BigInteger.valueOf(Integer.toUnsignedLong(address | free)))
                : of(false, new Condition.Bits(field(source, false), address & mask, mask));
    }
}
