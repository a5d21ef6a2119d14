package dev.sluice.policy.convert;

import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values in the words that firewalls share. */
final class Words {
    private static final int MOST_LINES = 1_000;

    private Words() {}

    static String address(BigInteger value, boolean v6) {
        return ConditionText.value(v6 ? Field.IPV6_SRC : Field.IPV4_SRC, value);
    }

    static String mac(BigInteger value) {
        return ConditionText.value(Field.ETH_SRC, value);
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
            size = size.add(range.size());
        }
        return size.bitLength() >= bits;
    }

    /**
     * All combinations of a line and a word more.
     *
     * @throws UnsayableException if they are more than a rule may take
     */
    static List<String> lines(List<String> before, List<String> more) throws UnsayableException {
        if ((long) before.size() * more.size() > MOST_LINES) {
            throw new UnsayableException("it takes more than %,d lines".formatted(MOST_LINES));
        }
        return each(before, more);
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
