package dev.sluice.policy.appliance;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Set of IPv4 and IPv6 addresses, as configurations of firewalls write them. */
public record AddressRanges(ValueSet v4, ValueSet v6) {
    private static final int V6_BITS = 128;
    private static final ValueSet EMPTY = new ValueSet(List.of());
    private static final ValueSet ALL_V4 = EMPTY.complement(Integer.SIZE);
    private static final ValueSet ALL_V6 = EMPTY.complement(V6_BITS);

    /** Texts that are addresses, right or wrong, and no names. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+(/.*|-.*)?|[0-9a-fA-F.]*:.*");

    /** No address. */
    public static final AddressRanges NONE = new AddressRanges(EMPTY, EMPTY);

    /** All addresses of IPv4. */
    public static final AddressRanges V4 = new AddressRanges(ALL_V4, EMPTY);

    /** All addresses of IPv6. */
    public static final AddressRanges V6 = new AddressRanges(EMPTY, ALL_V6);

    /** Returns whether a text is meant as an address, and is no name. */
    public static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    /** An address, one with a prefix length, or the range from one to another. */
    public static AddressRanges of(String text, int column) throws RuleSyntaxException {
        int dash = text.indexOf('-');
        if (dash >= 0) {
            return between(text.substring(0, dash), text.substring(dash + 1), column);
        }
        int slash = text.indexOf('/');
        return slash < 0
                ? between(text, text, column)
                : block(text.substring(0, slash), text.substring(slash + 1), column);
    }

    /** The addresses from one to another of the same IP version. */
    public static AddressRanges between(String low, String high, int column)
            throws RuleSyntaxException {
        boolean isV6 = low.indexOf(':') >= 0;
        if (isV6 != high.indexOf(':') >= 0) {
            throw new RuleSyntaxException(
                    column, low + "-" + high, "mixes IP versions; write both of one version");
        }
        ValueSet values = ValueSet.of(value(low, column), value(high, column));
        if (values.ranges().isEmpty()) {
            throw new RuleSyntaxException(
                    column, low + "-" + high, "is an empty range; write the lower address first");
        }
        return isV6 ? new AddressRanges(EMPTY, values) : new AddressRanges(values, EMPTY);
    }

    /** The addresses of a prefix length; bits of the address behind it count as 0. */
    public static AddressRanges block(String address, String length, int column)
            throws RuleSyntaxException {
        boolean isV6 = address.indexOf(':') >= 0;
        int bits = isV6 ? V6_BITS : Integer.SIZE;
        BigInteger rest = ValueSet.ones(bits - Literals.prefixLength(length, column, bits));
        BigInteger low = value(address, column).andNot(rest);
        ValueSet values = ValueSet.of(low, low.or(rest));
        return isV6 ? new AddressRanges(EMPTY, values) : new AddressRanges(values, EMPTY);
    }

    /** The number of an address. */
    public static BigInteger value(String text, int column) throws RuleSyntaxException {
        return text.indexOf(':') >= 0
                ? new BigInteger(1, Literals.ipv6(text, column))
                : BigInteger.valueOf(Integer.toUnsignedLong(Literals.ipv4(text, column)));
    }

    /** The addresses of either set. */
    public AddressRanges or(AddressRanges other) {
        return new AddressRanges(v4.or(other.v4), v6.or(other.v6));
    }

    /** All addresses of both IP versions that are not in the set. */
    public AddressRanges others() {
        return new AddressRanges(v4.complement(Integer.SIZE), v6.complement(V6_BITS));
    }

    /** The addresses of this set that are not in the other one. */
    public AddressRanges minus(AddressRanges other) {
        return new AddressRanges(v4.minus(other.v4, Integer.SIZE), v6.minus(other.v6, V6_BITS));
    }

    /** The condition that a packet comes from one of them, or goes to one. */
    public Condition condition(boolean source) {
        List<Condition> versions = new ArrayList<>();
        if (!v4.ranges().isEmpty()) {
            versions.add(of(Field.VERSION_4, source ? Field.IPV4_SRC : Field.IPV4_DST, v4, ALL_V4));
        }
        if (!v6.ranges().isEmpty()) {
            versions.add(of(Field.VERSION_6, source ? Field.IPV6_SRC : Field.IPV6_DST, v6, ALL_V6));
        }
        return Condition.any(versions.toArray(Condition[]::new));
    }

    private static Condition of(int version, Field field, ValueSet values, ValueSet every) {
        Condition of = is(Field.IP_VERSION, version);
        return values.equals(every) ? of : all(of, new Condition.In(field, values));
    }
}
