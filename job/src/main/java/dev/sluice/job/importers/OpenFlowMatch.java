package dev.sluice.job.importers;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The match fields of one flow line, checked for contradiction and prerequisites. */
final class OpenFlowMatch {
    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86dd;
    private static final int ARP = 0x0806;
    private static final int RARP = 0x8035;

    /** A prerequisite on EtherType and IP protocol that a field has, checked at the end. */
    private record Asked(
            String field,
            int column,
            List<Integer> types,
            List<Integer> protocols,
            String remedy) {}

    /**
     * One field of the flow with its value.
     *
     * @param column where the field stands in the line
     * @param text the value
     * @param textColumn where the value stands
     */
    private record Item(String key, int column, String text, int textColumn) {
        /** The words that a message quotes. */
        String words() {
            return key + "=" + text;
        }
    }

    /** Fields of Open vSwitch that packet headers in Sluice do not carry. */
    private static final List<String> NOT_CARRIED =
            List.of(
                    "arp_",
                    "nd_",
                    "tun_",
                    "pkt_mark",
                    "nw_ttl",
                    "ip_ttl",
                    "mpls_",
                    "ipv6_label",
                    "packet_type",
                    "skb_priority",
                    "nsh_",
                    "recirc_id",
                    "dp_hash",
                    "in_phy_port",
                    "actset_output",
                    "gtpu_",
                    "geneve",
                    "vxlan",
                    "eth_",
                    "icmpv6_",
                    "igmp_");

    /** Fields that no packet has: flows of one table set them for those of another. */
    private static final Pattern OF_TABLES = Pattern.compile("(x{0,2}reg[0-9]+|metadata)");

    /** Names of one field, by that which stands for all. */
    private static final Map<String, String> SAME =
            Map.ofEntries(
                    Map.entry("tunnel_id", "tun_id"),
                    Map.entry("eth_src", "dl_src"),
                    Map.entry("eth_dst", "dl_dst"),
                    Map.entry("eth_type", "dl_type"),
                    Map.entry("vlan_vid", "dl_vlan"),
                    Map.entry("vlan_pcp", "dl_vlan_pcp"),
                    Map.entry("ip_src", "nw_src"),
                    Map.entry("ip_dst", "nw_dst"),
                    Map.entry("ip_proto", "nw_proto"),
                    Map.entry("ip_dscp", "nw_tos"),
                    Map.entry("ip_ecn", "nw_ecn"),
                    Map.entry("ip_frag", "nw_frag"),
                    Map.entry("tcp_src", "tp_src"),
                    Map.entry("udp_src", "tp_src"),
                    Map.entry("sctp_src", "tp_src"),
                    Map.entry("icmp_type", "tp_src"),
                    Map.entry("icmpv6_type", "tp_src"),
                    Map.entry("tcp_dst", "tp_dst"),
                    Map.entry("udp_dst", "tp_dst"),
                    Map.entry("sctp_dst", "tp_dst"),
                    Map.entry("icmp_code", "tp_dst"),
                    Map.entry("icmpv6_code", "tp_dst"));

    private static final String VLAN = "dl_vlan";
    private static final String PRIORITY = "dl_vlan_pcp";
    private static final String TCI = "vlan_tci";
    private static final int TAG_PRESENT = 0x1000;

    /** The EtherType that a switch gives a frame without one. */
    private static final int NO_ETHER_TYPE = 0x05ff;

    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMPV6 = 58;
    private static final int SCTP = 132;

    private static final List<Integer> ANY = List.of();
    private static final List<Integer> IP = List.of(IPV4, IPV6);
    private static final List<Integer> WITH_PORTS = List.of(TCP, UDP, SCTP, ICMP, ICMPV6);

    private final int[] values = new int[HeaderWord.COUNT];
    private final int[] masks = new int[HeaderWord.COUNT];
    private final List<Asked> asked = new java.util.ArrayList<>();
    private final Map<String, Item> said = new HashMap<>();
    private final SwitchPorts ports;
    private int etherType = -1;
    private int protocol = -1;

    OpenFlowMatch(SwitchPorts ports) {
        this.ports = ports;
    }

    /** The defect of a word that is not taken, and what to do about it. */
    static RuleSyntaxException unknown(String words, String key, int column) {
        if (OF_TABLES.matcher(key).matches()) {
            return new RuleSyntaxException(
                    column,
                    words,
                    "is set by flows of other tables, and no header has it; remove the flow, or match without it",
                    "register");
        }
        if (key.startsWith("ct_")) {
            return new RuleSyntaxException(
                    column,
                    words,
                    "is the state of a connection, which no header has; remove the flow, or match without it",
                    "ct");
        }
        if (key.equals("conj_id")) {
            return new RuleSyntaxException(
                    column, words, FlowActions.CONJUNCTION, FlowActions.CONJUNCTION);
        }
        for (String prefix : NOT_CARRIED) {
            if (key.startsWith(prefix)) {
                return new RuleSyntaxException(
                        column,
                        words,
                        "is a field that packet headers in Sluice do not carry; remove the flow or match without it",
                        prefix);
            }
        }
        return new RuleSyntaxException(
                column, words, "is not a match field or protocol of ovs-ofctl; check the spelling");
    }

    void shorthand(String word, int column, int type, int proto) throws RuleSyntaxException {
        if (type >= 0) {
            etherType(word, column, type);
        }
        if (proto >= 0) {
            protocol(word, column, proto);
        }
    }

    private void etherType(String words, int column, int type) throws RuleSyntaxException {
        constrain(words, column, Field.ETH_TYPE, type, 0xffff);
        etherType = type;
    }

    private void protocol(String words, int column, int proto) throws RuleSyntaxException {
        constrain(words, column, Field.IP_PROTO, proto, 0xff);
        protocol = proto;
    }

    private void constrain(String words, int column, Field field, int value, int mask)
            throws RuleSyntaxException {
        constrainWord(words, column, field.word(), field.place(value), field.place(mask));
    }

    private void constrainWord(String words, int column, int word, int value, int mask)
            throws RuleSyntaxException {
        if ((masks[word] & mask & (values[word] ^ value)) != 0) {
            throw new RuleSyntaxException(
                    column,
                    words,
                    "contradicts what the flow says before; no packet could match: keep one of the two");
        }
        values[word] |= value & mask;
        masks[word] |= mask;
    }

    /** One {@code field=value} or {@code field=value/mask}. */
    void field(String key, int column, String text, int textColumn) throws RuleSyntaxException {
        Item item = new Item(key, column, text, textColumn);
        if (text.isEmpty()) {
            throw new RuleSyntaxException(
                    column, item.words(), "has no value; write " + key + "=value");
        }
        once(item);
        switch (key) {
            case "in_port" -> inPort(item);
            case "dl_src", "eth_src" -> mac(item, Field.ETH_SRC, Field.ETH_SRC_PRESENT);
            case "dl_dst", "eth_dst" -> mac(item, Field.ETH_DST, Field.ETH_DST_PRESENT);
            case "dl_type", "eth_type" -> etherType(item);
            case VLAN -> dlVlan(item);
            case PRIORITY, "vlan_pcp" -> {
                int priority = whole(item, 7);
                if (priority >= 0) {
                    constrain(item, Field.VLAN_PRESENT, 1, 1);
                    constrain(item, Field.VLAN_PRIORITY, priority, 7);
                }
            }
            case "vlan_vid" -> tci(item, 0x1fff);
            case TCI -> tci(item, 0xffff);
            case "nw_src", "ip_src" -> ipv4(item, Field.IPV4_SRC);
            case "nw_dst", "ip_dst" -> ipv4(item, Field.IPV4_DST);
            case "ipv6_src" -> ipv6(item, Field.IPV6_SRC);
            case "ipv6_dst" -> ipv6(item, Field.IPV6_DST);
            case "nw_proto", "ip_proto" -> protocol(item);
            case "nw_tos" -> {
                int tos = whole(item, 0xff);
                if (tos >= 0 && (tos & 3) != 0) {
                    throw new RuleSyntaxException(
                            textColumn,
                            text,
                            "sets the two ECN bits, which nw_tos does not match; use nw_ecn for them");
                }
                tos(item, tos, 0xfc);
            }
            case "ip_dscp" -> {
                int dscp = whole(item, 63);
                tos(item, dscp < 0 ? -1 : dscp << 2, 0xfc);
            }
            case "nw_ecn", "ip_ecn" -> tos(item, whole(item, 3), 3);
            case "nw_frag", "ip_frag" -> fragment(item);
            case "tp_src" -> port(item, Field.SRC_PORT, WITH_PORTS);
            case "tp_dst" -> port(item, Field.DST_PORT, WITH_PORTS);
            case "tcp_src" -> port(item, Field.SRC_PORT, List.of(TCP));
            case "tcp_dst" -> port(item, Field.DST_PORT, List.of(TCP));
            case "udp_src" -> port(item, Field.SRC_PORT, List.of(UDP));
            case "udp_dst" -> port(item, Field.DST_PORT, List.of(UDP));
            case "sctp_src" -> port(item, Field.SRC_PORT, List.of(SCTP));
            case "sctp_dst" -> port(item, Field.DST_PORT, List.of(SCTP));
            // dump-flows writes these names for ICMPv6, too.
            case "icmp_type" -> icmp(item, Field.SRC_PORT, IP, List.of(ICMP, ICMPV6));
            case "icmp_code" -> icmp(item, Field.DST_PORT, IP, List.of(ICMP, ICMPV6));
            case "icmpv6_type" -> icmp(item, Field.SRC_PORT, List.of(IPV6), List.of(ICMPV6));
            case "icmpv6_code" -> icmp(item, Field.DST_PORT, List.of(IPV6), List.of(ICMPV6));
            case "tcp_flags" -> tcpFlags(item);
            case "tun_id", "tunnel_id" -> tunnelId(item);
            default -> throw unknown(item.words(), key, column);
        }
    }

    /** A switch takes the last of two, and some fields undo others; so none is said twice. */
    private void once(Item item) throws RuleSyntaxException {
        String name = SAME.getOrDefault(item.key, item.key);
        Item before = said.put(name, item);
        if (before == null && (name.equals(VLAN) || name.equals(PRIORITY) || name.equals(TCI))) {
            Item vid = said.get(VLAN);
            Item pcp = said.get(PRIORITY);
            Item tci = said.get(TCI);
            if (tci != null && (vid != null || pcp != null)) {
                before = name.equals(TCI) ? vid != null ? vid : pcp : tci;
            } else if (vid != null && pcp != null && (isMasked(vid.text) || isMasked(pcp.text))) {
                before = name.equals(VLAN) ? pcp : vid;
            }
        }
        if (before != null) {
            throw new RuleSyntaxException(
                    item.column,
                    item.words(),
                    "undoes "
                            + before.words()
                            + " before it, in part or whole, as a switch takes the last of two; keep one");
        }
    }

    private static boolean isMasked(String text) {
        return text.equals("*") || text.indexOf('/') >= 0;
    }

    private void inPort(Item item) throws RuleSyntaxException {
        if (item.text.equals("*")) {
            return;
        }
        constrain(item, Field.IN_PORT, ports.parse(item.text, item.textColumn), -1);
        constrain(item, Field.IN_PORT_PRESENT, 1, 1);
    }

    private void etherType(Item item) throws RuleSyntaxException {
        int type = whole(item, 0xffff);
        if (type < 0) {
            requireUnsaid(item, etherType);
            return;
        }
        if (type < 0x600 && type != NO_ETHER_TYPE) {
            throw new RuleSyntaxException(
                    item.textColumn,
                    item.text,
                    "is a length and no EtherType, so that no packet could match; 0x05ff is a frame without one");
        }
        etherType(item.words(), item.column, type);
    }

    private void protocol(Item item) throws RuleSyntaxException {
        int proto = whole(item, 0xff);
        if (proto < 0) {
            requireUnsaid(item, protocol);
            return;
        }
        ask(item, IP, ANY, "add ip or ipv6");
        protocol(item.words(), item.column, proto);
    }

    private static void requireUnsaid(Item item, int before) throws RuleSyntaxException {
        if (before >= 0) {
            throw new RuleSyntaxException(
                    item.column,
                    item.words(),
                    "undoes what the flow says before, as a switch takes the last of two; keep one");
        }
    }

    private static int whole(Item item, int max) throws RuleSyntaxException {
        return FlowNumbers.whole(item.text, item.textColumn, max);
    }

    private void constrain(Item item, Field field, int value, int mask) throws RuleSyntaxException {
        constrain(item.words(), item.column, field, value, mask);
    }

    private void constrainWord(Item item, int word, int value, int mask)
            throws RuleSyntaxException {
        constrainWord(item.words(), item.column, word, value, mask);
    }

    private void mac(Item item, Field field, Field present) throws RuleSyntaxException {
        if (item.text.equals("*")) {
            return;
        }
        int slash = item.text.indexOf('/');
        String address = slash < 0 ? item.text : item.text.substring(0, slash);
        long value = Literals.mac(address, item.textColumn);
        long mask =
                slash < 0
                        ? 0xffffffffffffL
                        : Literals.mac(item.text.substring(slash + 1), item.textColumn + slash + 1);
        int[] v = new int[HeaderWord.COUNT];
        int[] m = new int[HeaderWord.COUNT];
        FieldBits.orMac(v, field, value & mask);
        FieldBits.orMac(m, field, mask);
        for (int w = HeaderWord.MAC_HIGH; w <= HeaderWord.MAC_LOW; w++) {
            constrainWord(item, w, v[w], m[w]);
        }
        if (mask != 0) {
            constrain(item, present, 1, 1);
        }
    }

    private void dlVlan(Item item) throws RuleSyntaxException {
        int vlan = whole(item, 0xffff);
        if (vlan < 0) {
            return;
        }
        if (vlan == 0xffff) {
            constrain(item, Field.VLAN_PRESENT, 0, 1);
        } else if (vlan > 0xfff) {
            throw new RuleSyntaxException(
                    item.textColumn, item.text, "is beyond 4095; 0xffff means: no VLAN tag");
        } else {
            constrain(item, Field.VLAN_PRESENT, 1, 1);
            constrain(item, Field.VLAN_ID, vlan, 0xfff);
        }
    }

    /** A tag control word with Open vSwitch's present bit 0x1000, which is also ours. */
    private void tci(Item item, int max) throws RuleSyntaxException {
        FlowNumbers.Masked tci = FlowNumbers.masked(item.text, item.textColumn, max);
        if ((tci.mask() & TAG_PRESENT) == 0 || (tci.value() & TAG_PRESENT) != 0) {
            constrainWord(item, HeaderWord.ETHER, tci.value(), tci.mask());
        } else if (tci.value() == 0) {
            constrain(item, Field.VLAN_PRESENT, 0, 1);
        } else {
            throw new RuleSyntaxException(
                    item.textColumn,
                    item.text,
                    "names bits of a tag and, by the bit 0x1000, that there is none; set that bit too, or write 0");
        }
    }

    private void ipv4(Item item, Field field) throws RuleSyntaxException {
        ask(item, List.of(IPV4), ANY, "add ip (or tcp, udp, icmp, sctp)");
        if (item.text.equals("*")) {
            return;
        }
        int slash = item.text.indexOf('/');
        String address = slash < 0 ? item.text : item.text.substring(0, slash);
        int value = Literals.ipv4(address, item.textColumn);
        int mask = -1;
        if (slash >= 0) {
            String m = item.text.substring(slash + 1);
            int at = item.textColumn + slash + 1;
            mask =
                    m.indexOf('.') >= 0
                            ? Literals.ipv4(m, at)
                            : Literals.mask32(Literals.prefixLength(m, at, 32));
        }
        constrain(item, field, value & mask, mask);
    }

    private void ipv6(Item item, Field field) throws RuleSyntaxException {
        ask(item, List.of(IPV6), ANY, "add ipv6 (or tcp6, udp6, icmp6, sctp6)");
        if (item.text.equals("*")) {
            return;
        }
        int slash = item.text.indexOf('/');
        String address = slash < 0 ? item.text : item.text.substring(0, slash);
        byte[] value = Literals.ipv6(address, item.textColumn);
        byte[] mask = new byte[16];
        Arrays.fill(mask, (byte) -1);
        if (slash >= 0) {
            String m = item.text.substring(slash + 1);
            int at = item.textColumn + slash + 1;
            mask =
                    m.indexOf(':') >= 0
                            ? Literals.ipv6(m, at)
                            : Literals.mask128(Literals.prefixLength(m, at, 128));
        }
        int[] v = new int[HeaderWord.COUNT];
        int[] w = new int[HeaderWord.COUNT];
        FieldBits.orIpv6(v, field, value);
        FieldBits.orIpv6(w, field, mask);
        for (int i = field.word(); i < field.word() + 4; i++) {
            constrainWord(item, i, v[i] & w[i], w[i]);
        }
    }

    private void tos(Item item, int value, int mask) throws RuleSyntaxException {
        ask(item, IP, ANY, "add ip or ipv6");
        if (value >= 0) {
            constrain(item, Field.TOS, value, mask);
        }
    }

    private void fragment(Item item) throws RuleSyntaxException {
        ask(item, IP, ANY, "add ip or ipv6");
        switch (item.text.toLowerCase(Locale.ROOT)) {
            case "*" -> {}
            case "no" -> constrain(item, Field.FRAGMENT, Field.FRAGMENT_NONE, 3);
            case "yes" -> constrain(item, Field.FRAGMENT, 1, 1);
            case "first" -> constrain(item, Field.FRAGMENT, Field.FRAGMENT_FIRST, 3);
            case "later" -> constrain(item, Field.FRAGMENT, Field.FRAGMENT_LATER, 3);
            case "not_later" -> constrain(item, Field.FRAGMENT, 0, 2);
            default ->
                    throw new RuleSyntaxException(
                            item.textColumn,
                            item.text,
                            "is no kind of fragment; write no, yes, first, later or not_later");
        }
    }

    private void port(Item item, Field field, List<Integer> protocols) throws RuleSyntaxException {
        String remedy =
                switch (protocols.size() == 1 ? protocols.get(0) : 0) {
                    case TCP -> "add tcp or tcp6";
                    case UDP -> "add udp or udp6";
                    case SCTP -> "add sctp or sctp6";
                    default -> "add tcp, udp, sctp or icmp (or tcp6, ...)";
                };
        ask(item, IP, protocols, remedy);
        FlowNumbers.Masked port = FlowNumbers.masked(item.text, item.textColumn, 0xffff);
        constrain(item, field, port.value(), port.mask());
        if (port.mask() != 0) {
            constrain(item, Field.PORTS_PRESENT, 1, 1);
        }
    }

    private void icmp(Item item, Field field, List<Integer> types, List<Integer> protocols)
            throws RuleSyntaxException {
        String remedy = types.contains(IPV4) ? "add icmp or icmp6" : "add icmp6";
        ask(item, types, protocols, remedy);
        int number = whole(item, 0xff);
        if (number >= 0) {
            constrain(item, field, number, 0xffff);
            constrain(item, Field.PORTS_PRESENT, 1, 1);
        }
    }

    private void tcpFlags(Item item) throws RuleSyntaxException {
        ask(item, IP, List.of(TCP), "add tcp or tcp6");
        FlowNumbers.Masked flags = TcpFlags.parse(item.text, item.textColumn);
        constrain(item, Field.TCP_FLAGS, flags.value(), flags.mask());
        if (flags.mask() != 0) {
            constrain(item, Field.PORTS_PRESENT, 1, 1);
        }
    }

    /**
     * Open vSwitch has 64 bits; the tunnels that there are have 32 at most, so the others are 0.
     */
    private void tunnelId(Item item) throws RuleSyntaxException {
        if (item.text.equals("*")) {
            return;
        }
        int slash = item.text.indexOf('/');
        long value =
                FlowNumbers.bits64(
                        slash < 0 ? item.text : item.text.substring(0, slash), item.textColumn);
        long mask =
                slash < 0
                        ? -1
                        : FlowNumbers.bits64(
                                item.text.substring(slash + 1), item.textColumn + slash + 1);
        if ((value & mask) >>> 32 != 0) {
            throw new RuleSyntaxException(
                    item.textColumn,
                    item.text,
                    "names more than 32 bits, which no VNI, key or TEID has, so that no packet could match");
        }
        constrain(item, Field.TUNNEL_ID, (int) (value & mask), (int) mask);
    }

    private void ask(Item item, List<Integer> types, List<Integer> protocols, String remedy) {
        asked.add(new Asked(item.key, item.column, types, protocols, remedy));
    }

    /** The match, once every prerequisite is met. */
    Match build() throws RuleSyntaxException {
        for (Asked a : asked) {
            boolean arp = etherType == ARP || etherType == RARP;
            if (arp) {
                throw new RuleSyntaxException(
                        a.column,
                        a.field,
                        "of an ARP packet is a field that packet headers in Sluice do not carry; match arp alone",
                        "arp_");
            }
            boolean typeMet = a.types.contains(etherType);
            boolean protocolMet =
                    a.protocols.isEmpty() || a.protocols.contains(protocol) && fits(protocol);
            if (!typeMet || !protocolMet) {
                throw new RuleSyntaxException(
                        a.column,
                        a.field,
                        "lacks its prerequisite, without which a switch ignores it; " + a.remedy);
            }
        }
        requireTypesOfIcmp();
        requireNoPortsOfLaterFragments();
        Match.Builder match = new Match.Builder();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            match.word(w, values[w], masks[w]);
        }
        return match.build();
    }

    /** ICMP's type and code have eight bits, whatever tp_src and tp_dst could say. */
    private void requireTypesOfIcmp() throws RuleSyntaxException {
        if (protocol != ICMP && protocol != ICMPV6) {
            return;
        }
        for (Field field : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            Item item = said.get(field == Field.SRC_PORT ? "tp_src" : "tp_dst");
            int value = values[field.word()] & field.place(0xff00);
            if (item != null && value != 0) {
                throw new RuleSyntaxException(
                        item.textColumn,
                        item.text,
                        "is beyond 255, the most of ICMP's types and codes; no packet could match");
            }
            int mask = field.extract(masks[field.word()]);
            if (item != null && mask != 0 && (mask & 0xff) != 0xff) {
                throw new RuleSyntaxException(
                        item.textColumn,
                        item.text,
                        "is a part of ICMP's type or code, which a switch matches whole; write one value");
            }
            if ((masks[field.word()] & field.place(0xff)) != 0) {
                masks[field.word()] |= field.place(0xff00); // always 0 in a packet
            }
        }
    }

    /** A switch refuses such flows, too. */
    private void requireNoPortsOfLaterFragments() throws RuleSyntaxException {
        Item fragment = said.get("nw_frag");
        int ip = values[HeaderWord.IP];
        if (fragment != null
                && Field.FRAGMENT.extract(ip) == Field.FRAGMENT_LATER
                && Field.PORTS_PRESENT.extract(ip) == 1) {
            throw new RuleSyntaxException(
                    fragment.column,
                    fragment.words(),
                    "has no ports, flags or ICMP type, so that no packet could match; match it without these");
        }
    }

    /** ICMP belongs to IPv4 and ICMPv6 to IPv6. */
    private boolean fits(int proto) {
        return proto != ICMP && proto != ICMPV6 || (proto == ICMP) == (etherType == IPV4);
    }
}
