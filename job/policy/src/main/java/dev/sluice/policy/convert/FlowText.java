package dev.sluice.policy.convert;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.convert.PortPairs.Pair;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import inet.ipaddr.ipv4.IPv4Address;
import inet.ipaddr.ipv6.IPv6Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Rules as OpenFlow flows. What a flow names one value of becomes a flow for each. */
final class FlowText {
    private static final String FORMAT = "OpenFlow";
    private static final int ICMP = 1;
    private static final int ICMPV6 = 58;
    private static final int TCP = 6;
    private static final Set<Integer> WITH_PORTS = Set.of(TCP, 17, 132);
    private static final int MOST_TYPE = 0xff;

    private FlowText() {}

    /**
     * The matches of a rule, each as the fields of a flow.
     *
     * @param wholePackets whether packets of protocols with ports hold them
     */
    static List<String> matches(ConvertedRule rule, boolean wholePackets) {
        boolean ports =
                rule.asks(Field.SRC_PORT)
                        || rule.asks(Field.DST_PORT)
                        || rule.asks(Field.TCP_FLAGS);
        if (ports && !rule.has(Field.PORTS_PRESENT) && !wholePackets) {
            throw rule.refused(
                    FORMAT,
                    "it reads ports of fragments that have none; add --whole-packets to leave these out");
        }
        rule.requireOnly(ConvertedRule.SAID, FORMAT);
        for (Field bit :
                List.of(
                        Field.PORTS_PRESENT,
                        Field.TTL_PRESENT,
                        Field.ETH_SRC_PRESENT,
                        Field.ETH_DST_PRESENT,
                        Field.MARK_PRESENT)) {
            if (rule.lacks(bit)) {
                throw rule.refused(FORMAT, "it asks for packets without what " + bit + " tells");
            }
        }
        int version = rule.version(FORMAT);
        rule.requireNoSpi(FORMAT, version, wholePackets);
        List<String> flows = List.of("");
        if (version != Field.VERSION_NONE) {
            flows = each(flows, List.of(version == Field.VERSION_4 ? ",ip" : ",ipv6"));
            flows = each(flows, List.of(addresses(rule, version)));
        } else if (rule.asks(Field.IP_PROTO)
                || rule.asks(Field.PORTS_PRESENT)
                || rule.asks(Field.TOS)
                || rule.asks(Field.TTL)
                || rule.asks(Field.FRAGMENT)) {
            throw rule.refused(FORMAT, "it asks for parts of IP, and for no version of it");
        }
        flows = each(flows, List.of(mac(rule, Field.ETH_SRC) + mac(rule, Field.ETH_DST)));
        flows = each(flows, List.of(mark(rule) + fragment(rule) + tos(rule)));
        flows = each(flows, ttl(rule));
        return each(flows, transport(rule));
    }

    private static List<String> each(List<String> before, List<String> more) {
        List<String> all = new ArrayList<>();
        for (String a : before) {
            more.forEach(b -> all.add(a + b));
        }
        return all;
    }

    private static String addresses(ConvertedRule rule, int version) {
        StringBuilder text = new StringBuilder();
        List<Field> fields =
                version == Field.VERSION_4
                        ? List.of(Field.IPV4_SRC, Field.IPV4_DST)
                        : List.of(Field.IPV6_SRC, Field.IPV6_DST);
        for (Field field : fields) {
            if (!rule.asks(field)) {
                continue;
            }
            text.append(',').append(field.label()).append('=');
            if (version == Field.VERSION_4) {
                text.append(new IPv4Address(rule.match().value(field.word())));
                text.append('/').append(new IPv4Address(rule.match().mask(field.word())));
            } else {
                byte[] value = FieldBits.ipv6(rule.values(), field);
                byte[] mask = FieldBits.ipv6(rule.masks(), field);
                text.append(new IPv6Address(value).toCanonicalString());
                text.append('/').append(new IPv6Address(mask).toCanonicalString());
            }
        }
        return text.toString();
    }

    private static String mac(ConvertedRule rule, Field field) {
        if (!rule.asks(field)) {
            if (rule.asks(Objects.requireNonNull(field.present()))) {
                throw rule.refused(FORMAT, "it asks for packets with any " + field);
            }
            return "";
        }
        return ",%s=%s/%s"
                .formatted(
                        field.label(),
                        Words.mac(HeaderValues.of(rule.values(), field)),
                        Words.mac(HeaderValues.of(rule.masks(), field)));
    }

    private static String mark(ConvertedRule rule) {
        return rule.asks(Field.MARK)
                ? ",pkt_mark=0x%x/0x%x".formatted(rule.value(Field.MARK), rule.mask(Field.MARK))
                : "";
    }

    private static String fragment(ConvertedRule rule) {
        int mask = rule.mask(Field.FRAGMENT);
        int value = rule.value(Field.FRAGMENT);
        if (mask == 0) {
            return "";
        }
        if (mask == 1 && value == 0 || mask == 3 && value == 0) {
            return ",nw_frag=no"; // a later fragment is a fragment, too
        }
        if (mask == 2) {
            return value == 0 ? ",nw_frag=not_later" : ",nw_frag=later";
        }
        return mask == 1 ? ",nw_frag=yes" : value == 1 ? ",nw_frag=first" : ",nw_frag=later";
    }

    private static String tos(ConvertedRule rule) {
        int mask = rule.mask(Field.TOS);
        int value = rule.value(Field.TOS);
        if (mask == 0) {
            return "";
        }
        String dscp = (mask & 0xfc) == 0xfc ? ",nw_tos=" + (value & 0xfc) : "";
        String ecn = (mask & 3) == 3 ? ",nw_ecn=" + (value & 3) : "";
        if ((mask & 0xfc) != 0 && dscp.isEmpty() || (mask & 3) != 0 && ecn.isEmpty()) {
            throw rule.refused(FORMAT, "it asks for a part of the DSCP or the ECN");
        }
        return dscp + ecn;
    }

    private static List<String> ttl(ConvertedRule rule) {
        if (!rule.asks(Field.TTL)) {
            return List.of("");
        }
        List<String> values = new ArrayList<>();
        for (int ttl = 0; ttl <= 0xff; ttl++) {
            if ((ttl & rule.mask(Field.TTL)) == rule.value(Field.TTL)) {
                values.add(",nw_ttl=" + ttl);
            }
        }
        return values;
    }

    private static List<String> transport(ConvertedRule rule) {
        int mask = rule.mask(Field.IP_PROTO);
        boolean ports =
                rule.has(Field.PORTS_PRESENT)
                        || rule.asks(Field.SRC_PORT)
                        || rule.asks(Field.DST_PORT)
                        || rule.asks(Field.TCP_FLAGS);
        if (mask == 0 && !ports) {
            return List.of("");
        }
        if (mask == 0) {
            throw rule.refused(FORMAT, "it asks for ports, and for no protocol that has some");
        }
        List<String> all = new ArrayList<>();
        for (int protocol = 0; protocol <= 0xff; protocol++) {
            if ((protocol & mask) == rule.value(Field.IP_PROTO)) {
                String name = ",nw_proto=" + protocol;
                all.addAll(ports ? each(List.of(name), ports(rule, protocol)) : List.of(name));
            }
        }
        return all;
    }

    private static List<String> ports(ConvertedRule rule, int protocol) {
        List<String> all = new ArrayList<>();
        boolean icmp = protocol == (rule.version(FORMAT) == Field.VERSION_4 ? ICMP : ICMPV6);
        if (!icmp && !WITH_PORTS.contains(protocol)) {
            throw rule.refused(FORMAT, "flows name no ports of protocol %d".formatted(protocol));
        }
        boolean flags = rule.asks(Field.TCP_FLAGS);
        if (flags && protocol != TCP) {
            throw rule.refused(FORMAT, "it asks for TCP flags of protocol " + protocol);
        }
        String of =
                flags
                        ? ",tcp_flags=0x%x/0x%x"
                                .formatted(rule.value(Field.TCP_FLAGS), rule.mask(Field.TCP_FLAGS))
                        : "";
        for (Pair pair : PortPairs.of(rule.match())) {
            if (icmp) {
                icmp(pair, all);
                continue;
            }
            for (String source : masked("tp_src", pair.lowSource(), pair.highSource())) {
                for (String destination :
                        masked("tp_dst", pair.lowDestination(), pair.highDestination())) {
                    all.add(source + destination + of);
                }
            }
        }
        return all;
    }

    private static List<String> masked(String name, int low, int high) {
        List<String> all = new ArrayList<>();
        for (int[] prefix : Match.portPrefixes(low << Match.RANGE_LOW_SHIFT | high)) {
            all.add(prefix[1] == 0 ? "" : ",%s=0x%x/0x%x".formatted(name, prefix[0], prefix[1]));
        }
        return all;
    }

    /** Types and codes: packets have no larger ones than 255. */
    private static void icmp(Pair pair, List<String> all) {
        boolean anyCode = pair.lowDestination() == 0 && pair.highDestination() >= MOST_TYPE;
        boolean both = pair.isAnySource() && !pair.isAny();
        if (both && pair.lowDestination() > MOST_TYPE) {
            return; // the upper half of what would be ports
        }
        for (int type = pair.lowSource(); type <= Math.min(MOST_TYPE, pair.highSource()); type++) {
            if (anyCode || both && pair.highDestination() >= MOST_TYPE) {
                all.add(",icmp_type=" + type);
                continue;
            }
            int last = Math.min(MOST_TYPE, pair.highDestination());
            for (int code = pair.lowDestination(); code <= last; code++) {
                all.add(",icmp_type=%d,icmp_code=%d".formatted(type, code));
            }
        }
    }
}
