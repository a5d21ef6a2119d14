package dev.sluice.policy.convert;

import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv6.IPv6Address;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values in the words that firewalls share. */
final class Words {
    private Words() {}

    static String address(BigInteger value, boolean v6) {
        return v6
                ? new IPv6Address(value).toCanonicalString()
                : new IPv4Address(value.intValue()).toString();
    }

    static String mac(BigInteger value) {
        return "%012x".formatted(value).replaceAll("..(?!$)", "$0:");
    }

    /** The prefix that a range is, as {@code address/length}; null: it is none. */
    static @Nullable String prefix(Range range, boolean v6) {
        int bits = v6 ? 128 : 32;
        List<ValueSet.Prefix> prefixes = new ValueSet(List.of(range)).prefixes(bits);
        return prefixes.size() != 1
                ? null
                : address(range.low(), v6) + "/" + prefixes.get(0).mask().bitCount();
    }

    /** The range that is missing in a set of so many bits; null: there are several, or none. */
    static @Nullable Range missing(ValueSet set, int bits) {
        List<Range> others = set.complement(bits).ranges();
        return set.ranges().size() > 1 && others.size() == 1
                        || set.ranges().size() == 1 && others.size() == 1 && isLarge(set, bits)
                ? others.get(0)
                : null;
    }

    /** Returns whether a set holds more than half of the values. */
    private static boolean isLarge(ValueSet set, int bits) {
        BigInteger size = BigInteger.ZERO;
        for (Range range : set.ranges()) {
            size = size.add(range.high().subtract(range.low()).add(BigInteger.ONE));
        }
        return size.bitLength() >= bits;
    }

    /** All combinations of a word of each list. */
    static List<String> each(List<String> before, List<String> more) {
        List<String> all = new ArrayList<>();
        for (String a : before) {
            more.forEach(b -> all.add(a + b));
        }
        return all;
    }
}
