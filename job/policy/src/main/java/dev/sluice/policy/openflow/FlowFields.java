package dev.sluice.policy.openflow;

import static dev.sluice.policy.openflow.FlowMatch.ICMP;
import static dev.sluice.policy.openflow.FlowMatch.ICMPV6;
import static dev.sluice.policy.openflow.FlowMatch.IPV4;
import static dev.sluice.policy.openflow.FlowMatch.IPV6;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the match fields of a flow line into a {@link FlowMatch}. */
final class FlowFields {
    /** One field of the flow with its value, and the columns of both. */
    private record Item(String key, int column, String text, int textColumn) {
        /** The words that a message quotes. */
        String words() {
            return key + "=" + text;
        }
    }

    private static final String VLAN = "dl_vlan";
    private static final String PRIORITY = "dl_vlan_pcp";
    private static final String TCI = "vlan_tci";
    private static final int TAG_PRESENT = 0x1000;

    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int SCTP = 132;

    private static final List<Integer> ANY = List.of();
    private static final List<Integer> IP = List.of(IPV4, IPV6);
    private static final String ADD_IP = "add ip (or tcp, udp, icmp, sctp)";
    private static final String ADD_ARP = "add arp or rarp";
    private static final List<Integer> WITH_PORTS = List.of(TCP, UDP, SCTP, ICMP, ICMPV6);

    private final FlowMatch match = new FlowMatch();
    private final Map<String, Item> said = new HashMap<>();
    private final SwitchPorts ports;

    FlowFields(SwitchPorts ports) {
        this.ports = ports;
    }

    void shorthand(String word, int column, int type, int proto) throws RuleSyntaxException {
        if (type >= 0) {
            match.etherType(word, column, type);
        }
        if (proto >= 0) {
            match.protocol(word, column, proto);
        }
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
            case "nw_src", "ip_src" -> ipv4(item, Field.IPV4_SRC, List.of(IPV4), ADD_IP);
            case "nw_dst", "ip_dst" -> ipv4(item, Field.IPV4_DST, List.of(IPV4), ADD_IP);
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
            case "nw_ttl" -> timeToLive(item);
            case "arp_op" -> arpOperation(item);
            case "arp_spa" -> ipv4(item, Field.ARP_SPA, FlowMatch.ARPS, ADD_ARP);
            case "arp_tpa" -> ipv4(item, Field.ARP_TPA, FlowMatch.ARPS, ADD_ARP);
            case "pkt_mark" -> mark(item);
            default -> throw FlowNames.unknown(item.words(), key, column);
        }
    }

    /** A switch takes the last of two, and some fields undo others; so none is said twice. */
    private void once(Item item) throws RuleSyntaxException {
        String name = FlowNames.of(item.key);
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
            requireUnsaid(item, match.etherType());
            return;
        }
        if (type < 0x600 && type != Field.NO_ETHER_TYPE) {
            throw new RuleSyntaxException(
                    item.textColumn,
                    item.text,
                    "is a length and no EtherType, so that no packet could match; 0x05ff is a frame without one");
        }
        match.etherType(item.words(), item.column, type);
    }

    private void protocol(Item item) throws RuleSyntaxException {
        int proto = whole(item, 0xff);
        if (proto < 0) {
            requireUnsaid(item, match.protocol());
            return;
        }
        ask(item, IP, ANY, "add ip or ipv6");
        match.protocol(item.words(), item.column, proto);
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
        match.constrain(item.words(), item.column, field, value, mask);
    }

    private void constrainWord(Item item, int word, int value, int mask)
            throws RuleSyntaxException {
        match.constrainWord(item.words(), item.column, word, value, mask);
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

    private void ipv4(Item item, Field field, List<Integer> types, String remedy)
            throws RuleSyntaxException {
        ask(item, types, ANY, remedy);
        FlowNumbers.Masked address = FlowNumbers.ipv4(item.text, item.textColumn);
        constrain(item, field, address.value(), address.mask());
    }

    private void timeToLive(Item item) throws RuleSyntaxException {
        ask(item, IP, ANY, "add ip or ipv6");
        int hops = whole(item, 0xff);
        if (hops >= 0) {
            constrain(item, Field.TTL, hops, 0xff);
            constrain(item, Field.TTL_PRESENT, 1, 1);
        }
    }

    private void arpOperation(Item item) throws RuleSyntaxException {
        ask(item, FlowMatch.ARPS, ANY, ADD_ARP);
        int operation = whole(item, 0xffff);
        if (operation > 0xff) {
            throw new RuleSyntaxException(
                    item.textColumn,
                    item.text,
                    "is beyond 255, the most that a switch tells apart; no packet could match");
        }
        if (operation >= 0) {
            constrain(item, Field.ARP_OP, operation, 0xffff);
        }
    }

    /** As in a switch, a packet without a mark has mark 0. */
    private void mark(Item item) throws RuleSyntaxException {
        FlowNumbers.Masked mark = FlowNumbers.masked(item.text, item.textColumn, 0xffffffffL);
        constrain(item, Field.MARK, mark.value(), mark.mask());
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

    private void tunnelId(Item item) throws RuleSyntaxException {
        FlowNumbers.Masked id = FlowNumbers.tunnelId(item.text, item.textColumn);
        constrain(item, Field.TUNNEL_ID, id.value(), id.mask());
    }

    private void ask(Item item, List<Integer> types, List<Integer> protocols, String remedy) {
        match.require(item.key, item.column, types, protocols, remedy);
    }

    /** The match, once every prerequisite is met. */
    Match build() throws RuleSyntaxException {
        match.checkPrerequisites();
        requireTypesOfIcmp();
        requireNoPortsOfLaterFragments();
        return match.build();
    }

    /** ICMP's type and code have eight bits, whatever tp_src and tp_dst could say. */
    private void requireTypesOfIcmp() throws RuleSyntaxException {
        if (match.protocol() != ICMP && match.protocol() != ICMPV6) {
            return;
        }
        for (Field field : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            Item item = said.get(field.equals(Field.SRC_PORT) ? "tp_src" : "tp_dst");
            int value = match.value(field.word()) & field.place(0xff00);
            if (item != null && value != 0) {
                throw new RuleSyntaxException(
                        item.textColumn,
                        item.text,
                        "is beyond 255, the most of ICMP's types and codes; no packet could match");
            }
            int mask = field.extract(match.mask(field.word()));
            if (item != null && mask != 0 && (mask & 0xff) != 0xff) {
                throw new RuleSyntaxException(
                        item.textColumn,
                        item.text,
                        "is a part of ICMP's type or code, which a switch matches whole; write one value");
            }
            if ((mask & 0xff) != 0) {
                match.constrain("", 1, field, 0, 0xff00); // always 0 in a packet
            }
        }
    }

    /** A switch refuses such flows, too. */
    private void requireNoPortsOfLaterFragments() throws RuleSyntaxException {
        Item fragment = said.get("nw_frag");
        int ip = match.value(HeaderWord.IP);
        if (fragment != null
                && Field.FRAGMENT.extract(ip) == Field.FRAGMENT_LATER
                && Field.PORTS_PRESENT.extract(ip) == 1) {
            throw new RuleSyntaxException(
                    fragment.column,
                    fragment.words(),
                    "has no ports, flags or ICMP type, so that no packet could match; match it without these");
        }
    }
}
