package dev.sluice.policy.nft;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Loads of the expressions of a rule, with the protocols that the rule is of so far. */
final class Loads {
    static final int TCP = NamedProtocols.TCP;
    static final int ICMP = NamedProtocols.ICMP;
    static final int ICMP6 = NamedProtocols.ICMP6;
    private static final int ARP = 0x0806;

    static final Condition V4 = NamedProtocols.V4;
    static final Condition V6 = NamedProtocols.V6;

    /** Packets that come to tables of the family arp. */
    static final Condition IS_ARP = is(Field.ETH_TYPE, ARP);

    private static final Condition PORTS = is(Field.PORTS_PRESENT, 1);

    private final String family;
    private final Set<String> changed;
    private final NamedProtocols named;

    /**
     * Loads of a rule.
     *
     * @param changed what rules set, of which nobody knows the value
     */
    Loads(String family, Set<String> changed) {
        this.family = family;
        this.changed = changed;
        this.named = new NamedProtocols(family);
    }

    /** The protocols that the rule is of so far. */
    NamedProtocols named() {
        return named;
    }

    /** The load of an expression. */
    Loading of(Node expression) throws RefusedException {
        Loading load = unchanged(expression);
        return isChanged(expression.words())
                ? new Loading.Unseen(load.type(), load.where(Condition.ALWAYS), expression.words())
                : load;
    }

    /** The condition of a match on the reverse path; null: it asks for something else. */
    @Nullable Condition reversePath(Node expression, Node right, boolean negated) {
        return expression.key().equals("fib") && !isChanged(expression.words())
                ? HostLoads.reversePath(expression, right, negated, family)
                : null;
    }

    /** Returns whether a rule sets what some words load, or a part of it. */
    private boolean isChanged(String words) {
        if (words.startsWith("fib ") && changed.stream().anyMatch(set -> set.matches("ip6? .*"))) {
            return true;
        }
        boolean transport = words.startsWith("th ") || words.startsWith("@th");
        return changed.contains(words)
                || transport && changed.stream().anyMatch(set -> set.matches(".* [ds]port"));
    }

    /** The condition that an expression can be loaded. */
    Condition loaded(Node expression) throws RefusedException {
        return unchanged(expression).where(Condition.ALWAYS);
    }

    /** The type of the values of an expression. */
    DataType type(Node expression) throws RefusedException {
        return unchanged(expression).type();
    }

    /** Refuses what is no value of a type, as far as its words tell. */
    void requireValue(Node value, DataType type) throws RefusedException {
        if (type == DataType.UNSEEN || type == DataType.NAME) {
            return;
        }
        if (value.isText() || value.isList()) {
            Values.one(value, type);
        } else if (value.key().matches("[|&^]")) {
            for (Node side : value.inner().list()) {
                requireValue(side, type);
            }
        } else if (value.key().equals("map")) {
            Node data = value.inner().get("data");
            boolean listed = data != null && data.key().equals("set");
            List<Node> elements = listed ? Objects.requireNonNull(data).inner().list() : List.of();
            for (Node element : elements) {
                if (element.isList() && element.list().size() == 2) {
                    Values.one(element.list().get(1), type);
                }
            }
        } else if (value.key().equals("meta") && type(value) == DataType.NAME) {
            throw value.refused("is a name, to which the field cannot be set; write a number");
        }
    }

    /** The condition that what an expression names can be set. */
    Condition settable(Node expression) throws RefusedException {
        Loading load = unchanged(expression);
        return load instanceof Loading.Unseen unseen
                ? unseen.needs()
                : load.where(Condition.ALWAYS);
    }

    private Loading unchanged(Node expression) throws RefusedException {
        Node inner = expression.inner();
        return switch (expression.key()) {
            case "payload" -> payload(expression, inner);
            case "meta" -> meta(expression, inner.needText("key"));
            case "ct" -> {
                if (family.equals("arp")) {
                    throw expression.refused("is of connections, which ARP has none of; remove it");
                }
                yield HostLoads.connection(expression, inner);
            }
            case "exthdr" -> extension(expression, inner);
            case "tcp option" -> {
                named.transport(expression, TCP);
                DataType type =
                        inner.get("name") == null
                                ? DataType.UNSEEN
                                : switch (inner.text("field")) {
                                    case "" -> DataType.BOOLEAN;
                                    case "kind", "length", "count" -> DataType.BYTE;
                                    case "size" -> DataType.SHORT;
                                    default -> DataType.INTEGER;
                                };
                yield new Loading.Unseen(type, named.isTransport(TCP), expression.words());
            }
            case "ip option" -> {
                named.network(expression, 4);
                yield new Loading.Unseen(DataType.UNSEEN, V4, expression.words());
            }
            case "sctp chunk" -> {
                named.transport(expression, 132);
                yield new Loading.Unseen(
                        DataType.UNSEEN, named.isTransport(132), expression.words());
            }
            case "fib" -> HostLoads.fib(expression, inner, family);
            case "socket" -> {
                DataType type = UnseenFields.type("socket", inner.text("key"));
                yield new Loading.Unseen(
                        type == null ? DataType.UNSEEN : type,
                        Condition.ALWAYS,
                        expression.words());
            }
            case "rt", "osf", "ipsec", "numgen", "jhash", "symhash" ->
                    new Loading.Unseen(DataType.UNSEEN, Condition.ALWAYS, expression.words());
            default ->
                    throw expression.refused(
                            "is no expression that Sluice reads on the left of a match; add"
                                    + " --skip-unsupported: packets that it may decide about then depend");
        };
    }

    private Loading payload(Node expression, Node value) throws RefusedException {
        if (value.get("base") != null) {
            return raw(expression, value);
        }
        Node fieldNode = value.need("field");
        String header = value.needText("protocol");
        String field = value.needText("field");
        Loading known =
                switch (header) {
                    case "ip" -> ip(expression, field);
                    case "ip6" -> ip6(expression, field);
                    case "th" -> ports(expression, field, null);
                    case "ether" -> ether(expression, field);
                    case "arp" -> arp(expression, field);
                    default ->
                            NamedProtocols.TRANSPORTS.containsKey(header)
                                    ? ofTransport(expression, header, field)
                                    : null;
                };
        if (known != null) {
            return known;
        }
        DataType type = UnseenFields.type(header, field);
        if (type == null) {
            throw fieldNode.refused(
                    "is no field of %s that Sluice reads; add --skip-unsupported: packets that it may decide about then depend"
                            .formatted(header));
        }
        Integer number = NamedProtocols.TRANSPORTS.get(header);
        Condition needs =
                switch (header) {
                    case "ip" -> named.network(expression, 4);
                    case "ip6" -> named.network(expression, 6);
                    default ->
                            number == null ? Condition.ALWAYS : named.transport(expression, header);
                };
        return new Loading.Unseen(type, needs, expression.words());
    }

    private Loading raw(Node expression, Node value) throws RefusedException {
        int offset = value.need("offset").number(16).intValue();
        int length = value.need("len").number(16).intValue();
        String base = value.needText("base");
        if (!Set.of("ll", "nh", "th", "ih").contains(base) || length < 1) {
            throw expression.refused(
                    "is no part of a header; write base ll, nh or th, offset and length");
        }
        if (base.equals("th") && length == 16 && (offset == 0 || offset == 16)) {
            Loading ports = ports(expression, offset == 0 ? "sport" : "dport", null);
            if (ports != null) {
                return ports;
            }
        }
        return new Loading.Unseen(DataType.UNSEEN, Condition.ALWAYS, expression.words());
    }

    /** The condition of TCP packets that the kernel answers itself, or drops: with SYN or ACK. */
    Condition handshake() {
        Loading flags = behind(DataType.TCP_FLAGS, named.isTransport(TCP), Field.TCP_FLAGS);
        BigInteger both = BigInteger.valueOf(0x12);
        return flags.where(Condition.not(flags.bits(BigInteger.ZERO, both)));
    }

    private @Nullable Loading ip(Node at, String field) throws RefusedException {
        Condition needs = named.network(at, 4);
        return switch (field) {
            case "saddr" -> whole(DataType.IPV4, needs, Field.IPV4_SRC);
            case "daddr" -> whole(DataType.IPV4, needs, Field.IPV4_DST);
            case "protocol" -> whole(DataType.PROTOCOL, needs, Field.IP_PROTO);
            case "ttl" -> whole(DataType.BYTE, needs, Field.TTL);
            case "dscp" -> part(DataType.DSCP, needs, Field.TOS, 2);
            case "ecn" -> part(DataType.ECN, needs, Field.TOS, 0);
            case "frag-off" -> new Loading.OfFragment(needs);
            case "length" -> length(needs);
            default -> null;
        };
    }

    private @Nullable Loading ip6(Node at, String field) throws RefusedException {
        Condition needs = named.network(at, 6);
        return switch (field) {
            case "saddr" -> whole(DataType.IPV6, needs, Field.IPV6_SRC);
            case "daddr" -> whole(DataType.IPV6, needs, Field.IPV6_DST);
            case "nexthdr" ->
                    new Loading.OfClasses(DataType.PROTOCOL, needs, Extensions.firstHeaders());
            case "hoplimit" -> whole(DataType.BYTE, needs, Field.TTL);
            case "dscp" -> part(DataType.DSCP, needs, Field.TOS, 2);
            case "ecn" -> part(DataType.ECN, needs, Field.TOS, 0);
            default -> null;
        };
    }

    private @Nullable Loading ofTransport(Node at, String header, String field)
            throws RefusedException {
        boolean icmp6 = header.equals("icmpv6");
        if (header.equals("icmp") || icmp6) {
            DataType type = icmp6 ? DataType.ICMP6_TYPE : DataType.ICMP_TYPE;
            DataType code = icmp6 ? DataType.ICMP6_CODE : DataType.ICMP_CODE;
            return switch (field) {
                case "type" -> behind(type, named.transport(at, header), Field.SRC_PORT);
                case "code" -> behind(code, named.transport(at, header), Field.DST_PORT);
                default -> null;
            };
        }
        if (header.equals("tcp") && field.equals("flags")) {
            return behind(DataType.TCP_FLAGS, named.transport(at, header), Field.TCP_FLAGS);
        }
        boolean hasPorts = Set.of("tcp", "udp", "udplite", "sctp", "dccp").contains(header);
        return hasPorts ? ports(at, field, header) : null;
    }

    /** A port of a protocol; null: of whichever the packet is. */
    private @Nullable Loading ports(Node at, String field, @Nullable String header)
            throws RefusedException {
        if (!field.equals("sport") && !field.equals("dport")) {
            return null;
        }
        Field port = field.equals("sport") ? Field.SRC_PORT : Field.DST_PORT;
        if (header != null) {
            return behind(DataType.PORT, named.transport(at, header), port);
        }
        ValueSet all = new ValueSet(List.of());
        for (int number : new int[] {TCP, 17, 33, 132, 136}) {
            all = all.or(ValueSet.of(number));
        }
        Condition known = Conditions.all(named.protocols().in(all), PORTS);
        return new Loading.OfField(DataType.PORT, Condition.ALWAYS, known, port, 0);
    }

    private static Loading whole(DataType type, Condition needs, Field field) {
        return new Loading.OfField(type, needs, Condition.ALWAYS, field, 0);
    }

    private static Loading part(DataType type, Condition needs, Field field, int shift) {
        return new Loading.OfField(type, needs, Condition.ALWAYS, field, shift);
    }

    /** A field behind the IP header, which a packet may lack. */
    private static Loading behind(DataType type, Condition needs, Field field) {
        return new Loading.OfField(type, needs, PORTS, field, 0);
    }

    private @Nullable Loading ether(Node at, String field) {
        return switch (field) {
            case "saddr" -> Frames.mac(Field.ETH_SRC);
            case "daddr" -> Frames.mac(Field.ETH_DST);
            case "type" -> new Loading.Unseen(DataType.ETHER_TYPE, Condition.ALWAYS, at.words());
            default -> null;
        };
    }

    private @Nullable Loading arp(Node at, String field) throws RefusedException {
        if (!family.equals("arp")) {
            throw at.refused("is of ARP, whose packets come to tables of the family arp alone");
        }
        Condition needs = IS_ARP;
        Condition known = is(Field.ARP_PRESENT, 1);
        return switch (field) {
            case "operation" ->
                    new Loading.OfField(DataType.ARP_OPERATION, needs, known, Field.ARP_OP, 0);
            case "saddr ip" -> new Loading.OfField(DataType.IPV4, needs, known, Field.ARP_SPA, 0);
            case "daddr ip" -> new Loading.OfField(DataType.IPV4, needs, known, Field.ARP_TPA, 0);
            default -> null;
        };
    }

    private Loading meta(Node at, String key) throws RefusedException {
        return switch (key) {
            case "iifname", "oifname" ->
                    new Loading.OfInterface(DataType.NAME, key.startsWith("i"));
            case "iif", "oif" -> new Loading.OfInterface(DataType.INDEX, key.startsWith("i"));
            case "l4proto" ->
                    family.equals("arp") // whose packets have none
                            ? new Loading.Unseen(DataType.PROTOCOL, Condition.NEVER, at.words())
                            : named.protocols();
            case "nfproto" -> {
                if (!family.equals("inet")) {
                    throw at.refused("tells packets of inet alone apart; remove it");
                }
                yield versions(DataType.NF_PROTO, 2, 10);
            }
            case "protocol" ->
                    family.equals("arp")
                            ? new Loading.OfField(
                                    DataType.ETHER_TYPE,
                                    Condition.ALWAYS,
                                    Condition.ALWAYS,
                                    Field.ETH_TYPE,
                                    0)
                            : versions(DataType.ETHER_TYPE, 0x0800, 0x86dd);
            case "mark" -> new Loading.OfMark();
            case "length" -> length(Condition.ALWAYS);
            case "pkttype" -> Frames.packetTypes();
            default -> {
                DataType type = UnseenFields.type("meta", key);
                if (type == null) {
                    throw at.refused(
                            "is no key of meta that Sluice reads; add --skip-unsupported: packets"
                                    + " that it may decide about then depend");
                }
                yield new Loading.Unseen(type, Condition.ALWAYS, at.words());
            }
        };
    }

    /** The length of the IP packet. */
    private static Loading length(Condition needs) {
        Condition known = is(Field.IP_LENGTH_PRESENT, 1);
        return new Loading.OfField(DataType.SHORT, needs, known, Field.IP_LENGTH, 0);
    }

    private static Loading versions(DataType type, int four, int six) {
        return new Loading.OfClasses(
                type,
                Condition.ALWAYS,
                List.of(
                        new Loading.PacketClass(BigInteger.valueOf(four), V4),
                        new Loading.PacketClass(BigInteger.valueOf(six), V6)));
    }

    /** An extension header of IPv6; that of fragments is known. */
    private Loading extension(Node at, Node value) throws RefusedException {
        Condition needs = named.network(at, 6);
        String name = value.needText("name");
        if (!Set.of("hbh", "rt", "rt0", "rt2", "frag", "dst", "mh", "srh").contains(name)) {
            throw at.refused("names no extension header; write hbh, frag, rt, dst, mh or srh");
        }
        if (value.get("field") != null) {
            return new Loading.Unseen(DataType.UNSEEN, needs, at.words());
        }
        Condition exists = Extensions.exists(name);
        return exists == null
                ? new Loading.Unseen(DataType.BOOLEAN, needs, at.words())
                : new Loading.OfClasses(
                        DataType.BOOLEAN,
                        needs,
                        List.of(
                                new Loading.PacketClass(BigInteger.ONE, exists),
                                new Loading.PacketClass(BigInteger.ZERO, Condition.not(exists))));
    }
}
