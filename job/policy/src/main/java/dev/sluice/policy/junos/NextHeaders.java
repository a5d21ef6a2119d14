package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Conditions on the headers that follow that of IPv6. */
final class NextHeaders {
    private static final Map<Integer, Integer> BITS =
            Map.of(
                    0, Field.EXTENSION_HOP_BY_HOP,
                    43, Field.EXTENSION_ROUTING,
                    44, Field.EXTENSION_FRAGMENT,
                    51, Field.EXTENSION_AUTHENTICATION,
                    60, Field.EXTENSION_DESTINATION_OPTIONS);

    private NextHeaders() {}

    /** The condition that the first header is one of a set. */
    static Condition first(ValueSet numbers) {
        int extensions = BITS.values().stream().reduce(0, (a, b) -> a | b);
        ValueSet others = numbers;
        List<Condition> some = new ArrayList<>();
        for (int number : BITS.keySet().stream().sorted().toList()) {
            others = others.minus(ValueSet.of(number), 8);
            if (!numbers.contains(BigInteger.valueOf(number))) {
                continue;
            }
            int bit = BITS.getOrDefault(number, 0);
            Condition has = bit(bit);
            if (number == 0) {
                some.add(has); // it always comes first
                continue;
            }
            some.add(
                    all(
                            has,
                            not(bit(Field.EXTENSION_HOP_BY_HOP)),
                            any(
                                    new Condition.Bits(Field.IPV6_EXTENSIONS, bit, extensions),
                                    new Condition.Unknown("the order of extension headers"))));
        }
        if (!others.ranges().isEmpty()) {
            some.add(
                    all(
                            new Condition.Bits(Field.IPV6_EXTENSIONS, 0, extensions),
                            new Condition.In(Field.IP_PROTO, others)));
        }
        return new Condition.Any(some);
    }

    /** The condition that a packet has one of the extension headers. */
    static Condition has(Statement at, ValueSet numbers, boolean except) throws JunosException {
        List<Condition> some = new ArrayList<>();
        for (ValueSet.Range range : numbers.ranges()) {
            Integer bit = BITS.get(range.low().intValue());
            if (bit == null || !range.low().equals(range.high())) {
                throw at.refused(
                        "names no extension header that can be read; write hop-by-hop, routing, fragment, ah or dstopts");
            }
            some.add(bit(bit));
        }
        Condition either = new Condition.Any(some);
        return except ? all(is(Field.IPV6_EXTENSIONS_PRESENT, 1), not(either)) : either;
    }

    private static Condition bit(int bit) {
        return new Condition.Bits(Field.IPV6_EXTENSIONS, bit, bit);
    }
}
