package dev.sluice.policy.cases;

import dev.sluice.policy.Literals;
import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Packet in words: its header, and what is assumed about it. What is not said is what an ordinary
 * packet has: source port 50000, TTL 64, no mark, and of TCP SYN, or ACK within a connection.
 */
record CasePacket(int[] header, Assumptions assumed) {
    private static final int TCP = 6;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;

    private static final int USUAL_SOURCE = 50_000;
    private static final int USUAL_TTL = 64;

    /** Protocols that are extension headers of IPv6: hop-by-hop, routing, fragment, AH, options. */
    private static final Set<Integer> EXTENSIONS = Set.of(0, 43, 44, 51, 60);

    private static final int MOST_PORT = 0xffff;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;

    /** Reads a literal. */
    private interface Literal<T> {
        T of(String text, int column) throws RuleSyntaxException;
    }

    /** The facts of a mapping, and others where it says none. */
    static Assumptions assumptions(YamlFields fields, Assumptions others) throws YamlException {
        YamlNode state = fields.take("state");
        String in = fields.string("in");
        String out = fields.string("out");
        return new Assumptions(
                state == null ? others.state() : state(state),
                in == null ? others.inInterface() : in,
                out == null ? others.outInterface() : out,
                others.host(),
                others.unstated(),
                others.asked(),
                others.time(),
                others.tracked(),
                others.settled());
    }

    private static ConnectionState state(YamlNode node) throws YamlException {
        return switch (node.string()) {
            case "new" -> ConnectionState.NEW;
            case "established" -> ConnectionState.ESTABLISHED;
            case "untracked" -> ConnectionState.UNTRACKED;
            default ->
                    throw node.at()
                            .refused(
                                    node.words(),
                                    "is no state of a connection; write new, established or untracked");
        };
    }

    static CasePacket read(YamlFields fields, Assumptions others) throws YamlException {
        int[] words = new int[HeaderWord.COUNT];
        Assumptions assumed = assumptions(fields, others);
        YamlNode source = fields.require("src");
        YamlNode destination = fields.require("dst");
        boolean v6 = source.words().indexOf(':') >= 0;
        Field.IP_VERSION.put(words, v6 ? Field.VERSION_6 : Field.VERSION_4);
        Field.ETH_TYPE.put(words, v6 ? 0x86dd : 0x0800);
        address(words, v6 ? Field.IPV6_SRC : Field.IPV4_SRC, source);
        address(words, v6 ? Field.IPV6_DST : Field.IPV4_DST, destination);
        int protocol = protocol(fields.require("proto"));
        Field.IP_PROTO.put(words, protocol);
        Field.TOS.put(words, number(fields, "tos", 0xff, 0));
        Field.TTL.put(words, number(fields, "ttl", 0xff, USUAL_TTL));
        Field.MARK.put(words, number(fields, "mark", Integer.MAX_VALUE, 0));
        YamlNode mac = fields.take("mac");
        if (mac != null) {
            FieldBits.orMac(words, Field.ETH_SRC, literal(mac, Literals::mac));
            Field.ETH_SRC.markPresent(words);
        }
        Integer inPort = fields.number("in-port", 0, Integer.MAX_VALUE);
        if (inPort != null) {
            Field.IN_PORT.put(words, inPort);
        }
        Integer vlan = fields.number("vlan", 0, 0xfff);
        if (vlan != null) {
            Field.VLAN_ID.put(words, vlan);
        }
        if (!isLaterFragment(words, fields.take("fragment"))) {
            transport(words, protocol, v6, fields, assumed);
        }
        if (v6 && !EXTENSIONS.contains(protocol)) {
            boolean whole =
                    Field.FRAGMENT.extract(words[Field.FRAGMENT.word()]) == Field.FRAGMENT_NONE;
            Field.IPV6_EXTENSIONS.put(words, whole ? 0 : Field.EXTENSION_FRAGMENT);
        }
        fields.requireNoMore("this packet");
        return new CasePacket(words, assumed);
    }

    private static boolean isLaterFragment(int[] words, @Nullable YamlNode fragment)
            throws YamlException {
        String word = fragment == null ? "none" : fragment.string();
        int kind =
                switch (word) {
                    case "none" -> Field.FRAGMENT_NONE;
                    case "first" -> Field.FRAGMENT_FIRST;
                    case "later" -> Field.FRAGMENT_LATER;
                    default ->
                            throw Objects.requireNonNull(fragment)
                                    .at()
                                    .refused(word, "is no fragment; write first or later");
                };
        Field.FRAGMENT.put(words, kind);
        return kind == Field.FRAGMENT_LATER;
    }

    private static void transport(
            int[] words, int protocol, boolean v6, YamlFields fields, Assumptions assumed)
            throws YamlException {
        if (NetworkNames.WITH_PORTS.contains(protocol)) {
            fields.require("dport");
            Field.SRC_PORT.put(words, number(fields, "sport", MOST_PORT, USUAL_SOURCE));
            Field.DST_PORT.put(words, number(fields, "dport", MOST_PORT, 0));
        }
        if (protocol == TCP) {
            boolean first = assumed.state() != ConnectionState.ESTABLISHED;
            YamlNode flags = fields.take("flags");
            Field.TCP_FLAGS.put(words, flags == null ? first ? SYN : ACK : flags(flags));
        }
        if (protocol == (v6 ? ICMP6 : ICMP)) {
            fields.require("type");
            Field.SRC_PORT.put(words, number(fields, "type", 0xff, 0));
            Field.DST_PORT.put(words, number(fields, "code", 0xff, 0));
        }
    }

    private static int flags(YamlNode node) throws YamlException {
        int flags = 0;
        for (String flag : node.string().split(",", -1)) {
            int bit = NetworkNames.TCP_FLAGS.indexOf(flag.strip());
            if (bit < 0 && !flag.equals("none")) {
                throw node.at()
                        .refused(
                                flag,
                                "is no TCP flag; write some of %s, parted by commas, or none"
                                        .formatted(String.join(",", NetworkNames.TCP_FLAGS)));
            }
            flags |= bit < 0 ? 0 : 1 << bit;
        }
        return flags;
    }

    private static int number(YamlFields fields, String key, int most, int otherwise)
            throws YamlException {
        Integer number = fields.number(key, 0, most);
        return number == null ? otherwise : number;
    }

    private static int protocol(YamlNode node) throws YamlException {
        Integer number = YamlFields.number(node, 0, 0xff);
        if (number != null) {
            return number;
        }
        int known = NetworkNames.PROTOCOLS.getOrDefault(node.string(), 0);
        if (known == 0) { // the words for any protocol, too
            throw node.at()
                    .refused(
                            node.words(),
                            "is no protocol that Sluice knows by name; write its number, or a name such as tcp, udp, icmp, icmpv6");
        }
        return known;
    }

    private static void address(int[] words, Field field, YamlNode node) throws YamlException {
        if (field.bits() == Integer.SIZE) {
            field.put(words, literal(node, Literals::ipv4));
        } else {
            FieldBits.orIpv6(words, field, literal(node, Literals::ipv6));
        }
    }

    private static <T> T literal(YamlNode node, Literal<T> literal) throws YamlException {
        try {
            return literal.of(node.string(), node.at().column());
        } catch (RuleSyntaxException e) {
            throw node.at().refused(e);
        }
    }
}
