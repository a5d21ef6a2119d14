package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Protocols that the matches of a rule named so far. nft refuses a match of another one, and adds
 * in silence what a header or an answer asks for.
 */
final class NamedProtocols {
    static final int TCP = 6;
    static final int ICMP = 1;
    static final int ICMP6 = 58;

    static final Condition V4 = Condition.is(Field.IP_VERSION, Field.VERSION_4);
    static final Condition V6 = Condition.is(Field.IP_VERSION, Field.VERSION_6);

    static final Map<String, Integer> TRANSPORTS =
            Map.ofEntries(
                    Map.entry("tcp", TCP),
                    Map.entry("udp", 17),
                    Map.entry("udplite", 136),
                    Map.entry("sctp", 132),
                    Map.entry("dccp", 33),
                    Map.entry("icmp", ICMP),
                    Map.entry("icmpv6", ICMP6),
                    Map.entry("igmp", 2),
                    Map.entry("esp", 50),
                    Map.entry("ah", 51),
                    Map.entry("comp", 108));

    private final String family;

    /** The IP version that a payload of the rule named, or 0. */
    private int version;

    /** The transport protocol that the rule named, or -1. */
    private int transport = -1;

    /**
     * Types of which the rule named several values, in a set or by matches that exclude each other:
     * protocols or IP versions, of which nft takes one for the header that follows.
     */
    private final Set<DataType> several = EnumSet.noneOf(DataType.class);

    NamedProtocols(String family) {
        this.family = family;
        this.version = family.equals("ip") ? 4 : family.equals("ip6") ? 6 : 0;
    }

    /** Refuses a statement that only tables of some families hold. */
    void requireFamily(Node statement, String... families) throws RefusedException {
        if (!List.of(families).contains(family)) {
            throw statement.refused(
                    "is no statement of a table of %s; write it in one of %s"
                            .formatted(family, String.join(", ", families)));
        }
    }

    /**
     * Notes that a rule goes on with one protocol alone. Where it is another one than before, no
     * packet meets both matches: nft loads the rule, with headers of the last IP version, but of no
     * transport protocol.
     */
    void narrow(Loading load, @Nullable ValueSet values) {
        if (values == null
                || values.ranges().size() != 1
                || !values.ranges().get(0).low().equals(values.ranges().get(0).high())) {
            return;
        }
        int value = values.ranges().get(0).low().intValue();
        if (load.type() == DataType.PROTOCOL) {
            if (transport >= 0 && transport != value) {
                several.add(DataType.PROTOCOL);
            }
            transport = value;
        } else if (load.type() == DataType.NF_PROTO) {
            version = value == 2 ? 4 : 6;
        }
    }

    /** Notes that a rule goes on with the protocols of a set: one, or several. */
    void narrow(Loading load, List<Node> elements) throws RefusedException {
        if (load.type() != DataType.PROTOCOL && load.type() != DataType.NF_PROTO) {
            return;
        }
        boolean single = false;
        ValueSet all = new ValueSet(List.of());
        for (Node element : elements) {
            Node value = Values.plain(element);
            single |= !value.key().matches("range|prefix");
            all = all.or(Values.of(value, load.type()));
        }
        if (elements.size() > 1 && single) {
            several.add(load.type());
        } else {
            narrow(load, all);
        }
    }

    /** Notes an IP version, and gives the condition of its packets. */
    Condition network(Node at, int asked) throws RefusedException {
        if (version != 0 && version != asked || family.equals("arp")) {
            throw at.refused(
                    "is of IPv%d, which no packet of the rule is; remove one of its matches"
                            .formatted(asked));
        }
        if (version == 0) {
            requireOne(at, DataType.NF_PROTO);
        }
        version = asked;
        return asked == 4 ? V4 : V6;
    }

    /** Notes a transport protocol. */
    void transport(Node at, int protocol) throws RefusedException {
        if (transport >= 0 && transport != protocol) {
            throw at.refused(
                    "asks for another protocol than the rule's matches before (%d, not %d); remove one"
                            .formatted(transport, protocol));
        }
        requireOne(at, DataType.PROTOCOL);
        transport = protocol;
    }

    private void requireOne(Node at, DataType type) throws RefusedException {
        if (several.contains(type)) {
            throw at.refused(
                    "asks for one protocol behind a set of several, of which nft takes the last; name one, or write th for the ports of each");
        }
    }

    /** The condition of a transport protocol. */
    Condition isTransport(int protocol) {
        return protocols().in(ValueSet.of(protocol));
    }

    /** The load of the transport protocol. */
    Loading protocols() {
        return new Loading.OfProtocol(version != 4);
    }

    /**
     * Notes a header's protocol, and gives the condition that nft adds in silence. The IP version
     * of ICMP is asked for where the rule named neither a version nor the protocol.
     */
    Condition transport(Node at, String header) throws RefusedException {
        int protocol = TRANSPORTS.getOrDefault(header, -1);
        boolean named = version != 0 || transport == protocol;
        transport(at, protocol);
        if (named || protocol != ICMP && protocol != ICMP6) {
            return isTransport(protocol);
        }
        return Conditions.all(network(at, protocol == ICMP ? 4 : 6), isTransport(protocol));
    }

    /**
     * The condition of a reject with an answer of a protocol, which nft puts before all statements
     * of the rule, unless one of them named the protocol.
     */
    Condition rejecting(Node at, Node answer) throws RefusedException {
        String type = answer.text("type");
        boolean named = type.equals("tcp reset") ? transport >= 0 : version != 0;
        Condition needs =
                switch (type) {
                    case "tcp reset" -> transport(at, "tcp");
                    case "icmp" -> network(at, 4);
                    case "icmpv6" -> network(at, 6);
                    case "icmpx", "" -> Condition.ALWAYS;
                    default ->
                            throw at.refused(
                                    "is no answer; write icmp, icmpv6, icmpx or tcp reset");
                };
        if (type.equals("icmpx") && family.startsWith("ip") || family.equals("arp")) {
            throw at.refused("is no answer in a table of %s; write reject alone".formatted(family));
        }
        Node code = answer.get("expr");
        if (code != null) {
            Values.one(
                    code,
                    switch (type) {
                        case "icmp" -> DataType.ICMP_CODE;
                        case "icmpv6" -> DataType.ICMP6_CODE;
                        default -> DataType.ICMPX_CODE;
                    });
        }
        return named ? Condition.ALWAYS : needs;
    }

    /**
     * Refuses a translation to an address of no known family, or to a port where the rule names no
     * protocol with ports.
     */
    void requireTranslatable(Node at, Node value) throws RefusedException {
        String asked = value.text("family");
        int own = asked.isEmpty() ? version : asked.equals("ip6") ? 6 : 4;
        if (!Set.of("ip", "ip6", "inet").contains(family)) {
            throw at.refused(
                    "translates in a table of %s; write it in ip or ip6".formatted(family));
        }
        Node address = value.get("addr");
        if (address == null && value.get("port") == null && at.key().matches("[sd]nat|tproxy")) {
            throw at.refused("names neither an address nor a port; write to and one");
        }
        if (address != null && address.isText() && own != 0) {
            Values.of(address, own == 6 ? DataType.IPV6 : DataType.IPV4);
        }
        if (address != null && own == 0) {
            throw at.refused(
                    "has an address of no family in a table of inet; write %s ip to or %s ip6 to"
                            .formatted(at.key(), at.key()));
        }
        if (address != null && version != 0 && own != version) {
            throw at.refused(
                    "has an address of %s, which no packet of the rule has; remove it"
                            .formatted(asked));
        }
        if (value.get("port") != null && transport < 0 && !several.contains(DataType.PROTOCOL)) {
            throw at.refused(
                    "has a port where the rule names no protocol; write meta l4proto tcp before it");
        }
    }
}
