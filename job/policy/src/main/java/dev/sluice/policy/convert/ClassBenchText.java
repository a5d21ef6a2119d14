package dev.sluice.policy.convert;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.convert.PortPairs.Pair;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv6.IPv6Address;
import java.util.ArrayList;
import java.util.List;

/** Rules as ClassBench filters. */
final class ClassBenchText {
    private static final String FORMAT = "ClassBench";
    private static final int ICMP = 1;
    private static final int ICMPV6 = 58;

    private ClassBenchText() {}

    /**
     * The lines of a rule.
     *
     * @param wholePackets whether packets of protocols with ports hold them
     */
    static List<String> lines(ConvertedRule rule, boolean wholePackets) {
        rule.requireOnly(ConvertedRule.OF_ENDS, FORMAT);
        int version = rule.version(FORMAT);
        rule.requireNoSpi(FORMAT, version, wholePackets);
        if (version == Field.VERSION_NONE) {
            throw rule.refused(FORMAT, "it also decides about packets that are not IP");
        }
        if (rule.lacks(Field.PORTS_PRESENT)) {
            throw rule.refused(FORMAT, "it asks for packets without ports");
        }
        boolean v6 = version == Field.VERSION_6;
        if (rule.has(Field.PORTS_PRESENT)) {
            requirePorts(rule, v6, wholePackets);
        }
        List<String> lines = new ArrayList<>();
        for (Pair ports : PortPairs.of(rule.match())) {
            lines.add(
                    "@%s %s %d : %d %d : %d 0x%02x/0x%02x %s"
                            .formatted(
                                    prefix(rule, v6 ? Field.IPV6_SRC : Field.IPV4_SRC),
                                    prefix(rule, v6 ? Field.IPV6_DST : Field.IPV4_DST),
                                    ports.lowSource(),
                                    ports.highSource(),
                                    ports.lowDestination(),
                                    ports.highDestination(),
                                    rule.value(Field.IP_PROTO),
                                    rule.mask(Field.IP_PROTO),
                                    rule.permits(FORMAT) ? "accept" : "drop"));
        }
        return lines;
    }

    /** Refuses a rule that differs on packets without ports, of which ClassBench reads 0. */
    private static void requirePorts(ConvertedRule rule, boolean v6, boolean wholePackets) {
        boolean none =
                PortPairs.of(rule.match()).stream()
                        .allMatch(pair -> pair.lowSource() > 0 || pair.lowDestination() > 0);
        boolean has =
                rule.mask(Field.IP_PROTO) == 0xff
                        && (NetworkNames.WITH_PORTS.contains(rule.value(Field.IP_PROTO))
                                || rule.value(Field.IP_PROTO) == (v6 ? ICMPV6 : ICMP));
        if (!none && !(wholePackets && has)) {
            throw rule.refused(
                    FORMAT,
                    has
                            ? "it asks for packets with ports, which later fragments have not; add --whole-packets to leave these out"
                            : "it asks for packets with ports, and for no protocol that has some");
        }
    }

    private static String prefix(ConvertedRule rule, Field field) {
        int[] masks = rule.masks();
        int[] values = rule.values();
        if (field.bits() == Integer.SIZE) {
            int mask = masks[field.word()];
            int length = Integer.numberOfLeadingZeros(~mask);
            requirePrefix(rule, Integer.bitCount(mask) == length, field);
            return new IPv4Address(values[field.word()]) + "/" + length;
        }
        byte[] mask = FieldBits.ipv6(masks, field);
        int ones = 0;
        int length = 0;
        for (byte b : mask) {
            ones += Integer.bitCount(b & 0xff);
            if (length % 8 == 0) {
                length += Integer.numberOfLeadingZeros(~b << 24);
            }
        }
        requirePrefix(rule, ones == length, field);
        IPv6Address address = new IPv6Address(FieldBits.ipv6(values, field));
        return address.toCanonicalString() + "/" + length;
    }

    private static void requirePrefix(ConvertedRule rule, boolean isPrefix, Field field) {
        if (!isPrefix) {
            throw rule.refused(FORMAT, "the mask of %s is no prefix".formatted(field.label()));
        }
    }
}
