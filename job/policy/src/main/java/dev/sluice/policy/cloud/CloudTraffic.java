package dev.sluice.policy.cloud;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Protocol and ports of a rule.
 *
 * @param condition the packets
 * @param words the same in few words, as in {@code tcp 443}
 */
record CloudTraffic(Condition condition, String words) {
    /** Packets of all protocols. */
    static final CloudTraffic ALL = new CloudTraffic(Condition.ALWAYS, "all");

    static final int MOST_PORT = CloudText.MOST_PORT;
    static final int ICMP = 1;
    static final int ICMPV6 = 58;

    private static final int MOST_PROTOCOL = 0xff;

    /** The packets that also meet the conditions of a rule's ends. */
    Condition from(Condition... ends) {
        List<Condition> all = new ArrayList<>(List.of(condition));
        all.addAll(List.of(ends));
        all.removeIf(Condition.ALWAYS::equals);
        return all(all.toArray(Condition[]::new));
    }

    /** All packets of a protocol. */
    static CloudTraffic of(int protocol) {
        return new CloudTraffic(is(Field.IP_PROTO, protocol), name(protocol));
    }

    /** The packets of a protocol to some ports. */
    static CloudTraffic to(int protocol, ValueSet ports, String words) {
        Condition to = new Condition.In(Field.DST_PORT, ports);
        return new CloudTraffic(
                all(is(Field.IP_PROTO, protocol), to), name(protocol) + " " + words);
    }

    /** The packets of a protocol to ports from low to high. */
    static CloudTraffic to(int protocol, int low, int high) {
        return low == 0 && high == MOST_PORT
                ? of(protocol)
                : to(protocol, ValueSet.of(low, high), low == high ? "" + low : low + "-" + high);
    }

    /**
     * The packets of ICMP, of a type and a code.
     *
     * @param type null: any
     * @param code null: any
     */
    static CloudTraffic icmp(int protocol, @Nullable Integer type, @Nullable Integer code) {
        Condition of = is(Field.IP_PROTO, protocol);
        if (type == null) {
            return of(protocol);
        }
        Condition typed = all(of, is(Field.SRC_PORT, type));
        return code == null
                ? new CloudTraffic(typed, name(protocol) + " type " + type)
                : new CloudTraffic(
                        all(typed, is(Field.DST_PORT, code)),
                        "%s type %d code %d".formatted(name(protocol), type, code));
    }

    static boolean isIcmp(int protocol) {
        return protocol == ICMP || protocol == ICMPV6;
    }

    static boolean hasPorts(int protocol) {
        return protocol == 6 || protocol == 17 || protocol == 132;
    }

    /** The number of a protocol that is written as a number or a name. */
    static int protocol(YamlNode node) throws YamlException {
        String text = CloudText.word(node).toLowerCase(Locale.ROOT);
        Integer number = NetworkNames.PROTOCOLS.get(text.equals("ipip") ? "ipencap" : text);
        if (number != null) {
            return number;
        }
        if (text.matches("[0-9]{1,3}") && Integer.parseInt(text) <= MOST_PROTOCOL) {
            return Integer.parseInt(text);
        }
        throw node.at().refused(node.words(), "is no protocol; write its name or 0 to 255");
    }

    private static String name(int protocol) {
        return switch (protocol) {
            case ICMP -> "icmp";
            case 6 -> "tcp";
            case 17 -> "udp";
            case ICMPV6 -> "icmpv6";
            default -> "protocol " + protocol;
        };
    }
}
