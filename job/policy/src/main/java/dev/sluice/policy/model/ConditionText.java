package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldText;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv6.IPv6Address;
import java.math.BigInteger;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Conditions in words, as Sluice understood them. */
public final class ConditionText {
    /** Most ranges of a set that are written out. */
    private static final int MOST_RANGES = 8;

    /** Versions of IP by their numbers in headers. */
    private static final List<String> VERSIONS = List.of("none", "IPv4", "IPv6", "other");

    private ConditionText() {}

    /** The words of a condition. */
    public static String of(Condition condition) {
        if (condition instanceof Condition.All all) {
            return all.conditions().isEmpty() ? "any" : joined(all.conditions(), " and ");
        }
        if (condition instanceof Condition.Any any) {
            return any.conditions().isEmpty() ? "none" : joined(any.conditions(), " or ");
        }
        if (condition instanceof Condition.Not not) {
            return "not " + inner(not.condition());
        }
        if (condition instanceof Condition.In in) {
            return in.field().label()
                    + " "
                    + values(in.values(), range -> range(in.field(), range));
        }
        if (condition instanceof Condition.Bits bits) {
            return "%s 0x%x/0x%x".formatted(bits.field().label(), bits.value(), bits.mask());
        }
        if (condition instanceof Condition.InState asked) {
            return "state "
                    + asked.states().stream()
                            .sorted()
                            .map(ConnectionState::name)
                            .collect(Collectors.joining(","));
        }
        if (condition instanceof Condition.Tracked asked) {
            return "connection (" + asked.words() + ")";
        }
        if (condition instanceof Condition.Interface name) {
            return (name.incoming() ? "in " : "out ") + name.name();
        }
        if (condition instanceof Condition.OfHost asked) {
            return asked.field().label() + " " + asked.type() + " of the host";
        }
        if (condition instanceof Condition.Within within) {
            return "time (" + within.words() + ")";
        }
        return "unknown (" + ((Condition.Unknown) condition).words() + ")";
    }

    private static String joined(List<Condition> conditions, String word) {
        return conditions.size() == 1
                ? of(conditions.get(0))
                : conditions.stream().map(ConditionText::inner).collect(Collectors.joining(word));
    }

    private static String inner(Condition condition) {
        boolean several =
                condition instanceof Condition.All all && all.conditions().size() > 1
                        || condition instanceof Condition.Any any && any.conditions().size() > 1;
        return several ? "(" + of(condition) + ")" : of(condition);
    }

    private static String range(Field field, ValueSet.Range range) {
        String low = value(field, range.low());
        return range.low().equals(range.high()) ? low : low + "-" + value(field, range.high());
    }

    /** The first ranges of a set in words, and the number of the others. */
    public static String values(ValueSet values, Function<ValueSet.Range, String> range) {
        String some =
                values.ranges().stream()
                        .limit(MOST_RANGES)
                        .map(range)
                        .collect(Collectors.joining(","));
        int more = values.ranges().size() - MOST_RANGES;
        return more > 0 ? some + " and " + more + " more" : some.isEmpty() ? "(none)" : some;
    }

    /** A value of a field in words. */
    public static String value(Field field, BigInteger value) {
        if (field.equals(Field.IP_VERSION)) {
            return VERSIONS.get(value.intValue());
        }
        if (field.text() == FieldText.MAC) {
            return "%012x".formatted(value).replaceAll("..(?!$)", "$0:");
        }
        if (field.text() != FieldText.ADDRESS) {
            return value.toString();
        }
        return field.bits() == Integer.SIZE
                ? new IPv4Address(value.intValue()).toString()
                : new IPv6Address(value).toCanonicalString();
    }
}
