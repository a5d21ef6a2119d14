package dev.sluice.policy.explain;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConditionText;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldText;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Fields and their values in words. */
final class FieldWords {
    private static final Map<Field, String> NAMES =
            Map.ofEntries(
                    Map.entry(Field.IPV4_SRC, "source"),
                    Map.entry(Field.IPV6_SRC, "source"),
                    Map.entry(Field.IPV4_DST, "destination"),
                    Map.entry(Field.IPV6_DST, "destination"),
                    Map.entry(Field.SRC_PORT, "source port"),
                    Map.entry(Field.DST_PORT, "destination port"),
                    Map.entry(Field.IP_PROTO, "protocol"),
                    Map.entry(Field.IP_VERSION, "IP version"),
                    Map.entry(Field.TCP_FLAGS, "TCP flags"),
                    Map.entry(Field.FRAGMENT, "fragment"),
                    Map.entry(Field.TOS, "TOS"),
                    Map.entry(Field.TTL, "TTL"),
                    Map.entry(Field.IP_LENGTH, "length"),
                    Map.entry(Field.ETH_SRC, "source MAC"),
                    Map.entry(Field.ETH_DST, "destination MAC"),
                    Map.entry(Field.ETH_TYPE, "EtherType"),
                    Map.entry(Field.VLAN_ID, "VLAN"),
                    Map.entry(Field.VLAN_PRIORITY, "VLAN priority"),
                    Map.entry(Field.IN_PORT, "switch port"),
                    Map.entry(Field.MARK, "mark"),
                    Map.entry(Field.PORTS_PRESENT, "ports"),
                    Map.entry(Field.IN_INTERFACE, "in interface"),
                    Map.entry(Field.OUT_INTERFACE, "out interface"),
                    Map.entry(Field.CONNECTION_STATE, "state"));

    /** The value of a field that a packet lacks. */
    static final String NONE = "none";

    private FieldWords() {}

    /**
     * The name of a field.
     *
     * @param icmp whether ports are type and code
     */
    static String name(Field field, boolean icmp) {
        if (icmp && field.equals(Field.SRC_PORT)) {
            return "ICMP type";
        }
        if (icmp && field.equals(Field.DST_PORT)) {
            return "ICMP code";
        }
        for (Field of : Field.values()) {
            if (field.equals(of.present()) && !NAMES.containsKey(field)) {
                return name(of, icmp);
            }
        }
        return NAMES.getOrDefault(field, field.label());
    }

    /** Returns whether a field is the present bit of others. */
    static boolean isPresence(Field field) {
        return field.bits() == 1;
    }

    /** A header's value of a field. */
    static String value(int[] header, Field field) {
        if (isPresence(field)) {
            return HeaderFields.of(header, field) == 1 ? "some" : NONE;
        }
        return HeaderFields.isPresent(header, field) && FieldBits.fitsAddresses(header, field)
                ? value(field, HeaderValues.of(header, field))
                : NONE;
    }

    private static String value(Field field, BigInteger value) {
        if (field.equals(Field.IP_PROTO)) {
            return PacketWords.protocol(value.intValue());
        }
        if (field.equals(Field.TCP_FLAGS)) {
            return PacketWords.flags(value.intValue());
        }
        if (field.equals(Field.FRAGMENT)) {
            return fragments(value::equals);
        }
        return field.text() == FieldText.HEX
                ? "0x%04x".formatted(value)
                : ConditionText.value(field, value);
    }

    /** The words of the packets whose values of {@link Field#FRAGMENT} are meant. */
    private static String fragments(Predicate<BigInteger> meant) {
        boolean none = meant.test(BigInteger.valueOf(Field.FRAGMENT_NONE));
        boolean first = meant.test(BigInteger.valueOf(Field.FRAGMENT_FIRST));
        boolean later = meant.test(BigInteger.valueOf(Field.FRAGMENT_LATER));
        if (none) {
            String whole = first && later ? "any" : first ? "no later fragment" : "no fragment";
            return later && !first ? "no first fragment" : whole;
        }
        return first && later
                ? "a fragment"
                : first ? "first fragment" : later ? "later fragment" : "no value";
    }

    /** The values that a condition on one field wants; null: it is on more than one. */
    static @Nullable String wanted(Condition condition, boolean wanted) {
        if (Field.FRAGMENT.equals(Condition.field(condition))) {
            return fragments(value -> Condition.holds(condition, value) == wanted);
        }
        String text = wanted(condition);
        return text == null ? null : wanted ? text : "not " + text;
    }

    private static @Nullable String wanted(Condition condition) {
        if (condition instanceof Condition.In in) {
            return isPresence(in.field())
                    ? in.values().contains(BigInteger.ONE) ? "some" : NONE
                    : ConditionText.values(in.values(), range -> range(in.field(), range));
        }
        if (condition instanceof Condition.Bits bits) {
            return bits(bits);
        }
        if (condition instanceof Condition.InState asked) {
            return asked.states().stream()
                    .sorted()
                    .map(ConnectionState::label)
                    .collect(Collectors.joining(" or "));
        }
        if (condition instanceof Condition.Interface of) {
            return of.name().replace("+", "*");
        }
        if (condition instanceof Condition.OfHost of) {
            return "one that the host knows as " + of.type().name().toLowerCase(Locale.ROOT);
        }
        if (condition instanceof Condition.Tracked tracked) {
            return tracked.words();
        }
        return condition instanceof Condition.Within within ? within.words() : null;
    }

    private static String range(Field field, ValueSet.Range range) {
        BigInteger size = range.size();
        if (size.equals(BigInteger.ONE)) {
            return value(field, range.low());
        }
        if (field.equals(Field.IP_PROTO)) {
            return range.low() + "-" + range.high();
        }
        if (field.equals(Field.IP_VERSION) && size.equals(BigInteger.TWO)) {
            return value(field, range.low()) + " or " + value(field, range.high());
        }
        return field.text() == FieldText.ADDRESS && range.isPrefix()
                ? value(field, range.low()) + "/" + (field.bits() - size.bitLength() + 1)
                : value(field, range.low()) + "-" + value(field, range.high());
    }

    private static String bits(Condition.Bits bits) {
        Field field = bits.field();
        BigInteger all = ValueSet.ones(field.bits());
        if (isPresence(field)) {
            return bits.value().signum() == 0 ? NONE : "some";
        }
        if (field.equals(Field.TCP_FLAGS)) {
            int unset = bits.mask().andNot(bits.value()).intValue();
            String set = PacketWords.flags(bits.value().intValue());
            return unset == 0
                    ? set
                    : (bits.value().signum() == 0 ? "" : set + ", ")
                            + "not "
                            + PacketWords.flags(unset);
        }
        BigInteger free = all.xor(bits.mask());
        boolean prefix = free.add(BigInteger.ONE).bitCount() == 1;
        if (prefix) {
            return range(field, new ValueSet.Range(bits.value(), bits.value().or(free)));
        }
        return field.text() == FieldText.ADDRESS
                ? value(field, bits.value()) + "/" + value(field, bits.mask())
                : "0x%x/0x%x".formatted(bits.value(), bits.mask());
    }
}
