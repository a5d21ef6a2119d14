package dev.sluice.job.importers;

import dev.sluice.engine.rules.Match;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

    /** Fields of Open vSwitch that packet headers in Sluice do not carry. */
    private static final List<String> NOT_CARRIED =
            List.of(
                    "arp_",
                    "nd_",
                    "tun_",
                    "ct_",
                    "reg",
                    "xreg",
                    "xxreg",
                    "metadata",
                    "pkt_mark",
                    "nw_ttl",
                    "ip_ttl",
                    "mpls_",
                    "ipv6_label",
                    "conj_id",
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

    private static final Map<String, Integer> PORT_NAMES =
            Map.of(
                    "IN_PORT", 0xfff8,
                    "TABLE", 0xfff9,
                    "NORMAL", 0xfffa,
                    "FLOOD", 0xfffb,
                    "ALL", 0xfffc,
                    "CONTROLLER", 0xfffd,
                    "LOCAL", 0xfffe,
                    "NONE", 0xffff);

    private static final List<String> FLAG_NAMES =
            List.of("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns");

    private static final List<Integer> ANY = List.of();
    private static final List<Integer> IP = List.of(IPV4, IPV6);
    private static final List<Integer> ICMP = List.of(1, 58);

    private final int[] values = new int[HeaderWord.COUNT];
    private final int[] masks = new int[HeaderWord.COUNT];
    private final List<Asked> asked = new java.util.ArrayList<>();
    private int etherType = -1;
    private int protocol = -1;

    /** Why a word is not taken, and what to do about it. */
    static String unknown(String key) {
        for (String prefix : NOT_CARRIED) {
            if (key.startsWith(prefix)) {
                return "is a field that packet headers in Sluice do not carry; remove the flow or match without it";
            }
        }
        return "is not a match field or protocol of ovs-ofctl; check the spelling";
    }

    void shorthand(String word, int column, int type, int proto) throws RuleSyntaxException {
        etherType(word, column, type);
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
        String words = key + "=" + text;
        if (text.isEmpty()) {
            throw new RuleSyntaxException(column, words, "has no value; write " + key + "=value");
        }
        switch (key) {
            case "in_port" -> {
                Integer named = PORT_NAMES.get(text.toUpperCase(Locale.ROOT));
                long port = named != null ? named : portNumber(text, textColumn);
                constrain(words, column, Field.IN_PORT, (int) port, -1);
                constrain(words, column, Field.IN_PORT_PRESENT, 1, 1);
            }
            case "dl_src", "eth_src" ->
                    mac(words, column, Field.ETH_SRC, Field.ETH_SRC_PRESENT, text, textColumn);
            case "dl_dst", "eth_dst" ->
                    mac(words, column, Field.ETH_DST, Field.ETH_DST_PRESENT, text, textColumn);
            case "dl_type", "eth_type" -> etherType(words, column, exact(text, textColumn, 0xffff));
            case "dl_vlan" -> dlVlan(words, column, text, textColumn);
            case "dl_vlan_pcp", "vlan_pcp" -> {
                constrain(words, column, Field.VLAN_PRESENT, 1, 1);
                constrain(words, column, Field.VLAN_PRIORITY, exact(text, textColumn, 7), 7);
            }
            case "vlan_vid" -> tci(words, column, text, textColumn, 0x1fff);
            case "vlan_tci" -> tci(words, column, text, textColumn, 0xffff);
            case "nw_src", "ip_src" -> ipv4(key, words, column, Field.IPV4_SRC, text, textColumn);
            case "nw_dst", "ip_dst" -> ipv4(key, words, column, Field.IPV4_DST, text, textColumn);
            case "ipv6_src" -> ipv6(key, words, column, Field.IPV6_SRC, text, textColumn);
            case "ipv6_dst" -> ipv6(key, words, column, Field.IPV6_DST, text, textColumn);
            case "nw_proto", "ip_proto" -> {
                ask(key, column, IP, ANY, "add ip or ipv6");
                protocol(words, column, exact(text, textColumn, 0xff));
            }
            case "nw_tos" -> {
                int tos = exact(text, textColumn, 0xff);
                if ((tos & 3) != 0) {
                    throw new RuleSyntaxException(
                            textColumn,
                            text,
                            "sets the two ECN bits, which nw_tos does not match; use nw_ecn for them");
                }
                tos(key, words, column, tos, 0xfc);
            }
            case "ip_dscp" -> tos(key, words, column, exact(text, textColumn, 63) << 2, 0xfc);
            case "nw_ecn", "ip_ecn" -> tos(key, words, column, exact(text, textColumn, 3), 3);
            case "nw_frag", "ip_frag" -> fragment(key, words, column, text, textColumn);
            case "tp_src" ->
                    port(
                            key,
                            words,
                            column,
                            Field.SRC_PORT,
                            text,
                            textColumn,
                            List.of(6, 17, 132, 1, 58));
            case "tp_dst" ->
                    port(
                            key,
                            words,
                            column,
                            Field.DST_PORT,
                            text,
                            textColumn,
                            List.of(6, 17, 132, 1, 58));
            case "tcp_src" ->
                    port(key, words, column, Field.SRC_PORT, text, textColumn, List.of(6));
            case "tcp_dst" ->
                    port(key, words, column, Field.DST_PORT, text, textColumn, List.of(6));
            case "udp_src" ->
                    port(key, words, column, Field.SRC_PORT, text, textColumn, List.of(17));
            case "udp_dst" ->
                    port(key, words, column, Field.DST_PORT, text, textColumn, List.of(17));
            case "sctp_src" ->
                    port(key, words, column, Field.SRC_PORT, text, textColumn, List.of(132));
            case "sctp_dst" ->
                    port(key, words, column, Field.DST_PORT, text, textColumn, List.of(132));
            // dump-flows writes these names for ICMPv6, too.
            case "icmp_type" ->
                    icmp(key, words, column, Field.SRC_PORT, text, textColumn, IP, ICMP);
            case "icmp_code" ->
                    icmp(key, words, column, Field.DST_PORT, text, textColumn, IP, ICMP);
            case "icmpv6_type" ->
                    icmp(
                            key,
                            words,
                            column,
                            Field.SRC_PORT,
                            text,
                            textColumn,
                            List.of(IPV6),
                            List.of(58));
            case "icmpv6_code" ->
                    icmp(
                            key,
                            words,
                            column,
                            Field.DST_PORT,
                            text,
                            textColumn,
                            List.of(IPV6),
                            List.of(58));
            case "tcp_flags" -> tcpFlags(key, words, column, text, textColumn);
            default -> throw new RuleSyntaxException(column, words, unknown(key));
        }
    }

    private static long portNumber(String text, int column) throws RuleSyntaxException {
        if (!Character.isDigit(text.charAt(0))) {
            throw new RuleSyntaxException(
                    column,
                    text,
                    "is the name of a switch port, which a rule file cannot resolve; write its number");
        }
        return Literals.number(text, column, 0xffffffffL);
    }

    private static int exact(String text, int column, int max) throws RuleSyntaxException {
        int slash = text.indexOf('/');
        if (slash >= 0) {
            throw new RuleSyntaxException(
                    column + slash,
                    text.substring(slash),
                    "a mask is not allowed there; write one value");
        }
        return (int) Literals.number(text, column, max);
    }

    private void mac(
            String words, int column, Field field, Field present, String text, int textColumn)
            throws RuleSyntaxException {
        int slash = text.indexOf('/');
        long value = Literals.mac(slash < 0 ? text : text.substring(0, slash), textColumn);
        long mask =
                slash < 0
                        ? 0xffffffffffffL
                        : Literals.mac(text.substring(slash + 1), textColumn + slash + 1);
        int[] v = new int[HeaderWord.COUNT];
        int[] m = new int[HeaderWord.COUNT];
        FieldBits.orMac(v, field, value & mask);
        FieldBits.orMac(m, field, mask);
        for (int w = HeaderWord.MAC_HIGH; w <= HeaderWord.MAC_LOW; w++) {
            constrainWord(words, column, w, v[w], m[w]);
        }
        if (mask != 0) {
            constrain(words, column, present, 1, 1);
        }
    }

    private void dlVlan(String words, int column, String text, int textColumn)
            throws RuleSyntaxException {
        int vlan = exact(text, textColumn, 0xffff);
        if (vlan == 0xffff) {
            constrain(words, column, Field.VLAN_PRESENT, 0, 1);
        } else if (vlan > 0xfff) {
            throw new RuleSyntaxException(
                    textColumn, text, "is beyond 4095; 0xffff means: no VLAN tag");
        } else {
            constrain(words, column, Field.VLAN_PRESENT, 1, 1);
            constrain(words, column, Field.VLAN_ID, vlan, 0xfff);
        }
    }

    /** A tag control word with Open vSwitch's present bit 0x1000, which is also ours. */
    private void tci(String words, int column, String text, int textColumn, int max)
            throws RuleSyntaxException {
        int slash = text.indexOf('/');
        int value =
                (int) Literals.number(slash < 0 ? text : text.substring(0, slash), textColumn, max);
        int mask =
                slash < 0
                        ? max
                        : (int)
                                Literals.number(
                                        text.substring(slash + 1), textColumn + slash + 1, max);
        constrainWord(words, column, HeaderWord.ETHER, value & mask, mask);
    }

    private void ipv4(
            String key, String words, int column, Field field, String text, int textColumn)
            throws RuleSyntaxException {
        ask(key, column, List.of(IPV4), ANY, "add ip (or tcp, udp, icmp, sctp)");
        int slash = text.indexOf('/');
        int value = Literals.ipv4(slash < 0 ? text : text.substring(0, slash), textColumn);
        int mask = -1;
        if (slash >= 0) {
            String m = text.substring(slash + 1);
            int at = textColumn + slash + 1;
            mask =
                    m.indexOf('.') >= 0
                            ? Literals.ipv4(m, at)
                            : Literals.mask32(Literals.prefixLength(m, at, 32));
        }
        constrain(words, column, field, value & mask, mask);
    }

    private void ipv6(
            String key, String words, int column, Field field, String text, int textColumn)
            throws RuleSyntaxException {
        ask(key, column, List.of(IPV6), ANY, "add ipv6 (or tcp6, udp6, icmp6, sctp6)");
        int slash = text.indexOf('/');
        byte[] value = Literals.ipv6(slash < 0 ? text : text.substring(0, slash), textColumn);
        byte[] mask = new byte[16];
        Arrays.fill(mask, (byte) -1);
        if (slash >= 0) {
            String m = text.substring(slash + 1);
            int at = textColumn + slash + 1;
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
            constrainWord(words, column, i, v[i] & w[i], w[i]);
        }
    }

    private void tos(String key, String words, int column, int value, int mask)
            throws RuleSyntaxException {
        ask(key, column, IP, ANY, "add ip or ipv6");
        constrain(words, column, Field.TOS, value, mask);
    }

    private void fragment(String key, String words, int column, String text, int textColumn)
            throws RuleSyntaxException {
        ask(key, column, IP, ANY, "add ip or ipv6");
        switch (text) {
            case "no" -> constrain(words, column, Field.FRAGMENT, Field.FRAGMENT_NONE, 3);
            case "yes" -> constrain(words, column, Field.FRAGMENT, 1, 1);
            case "first" -> constrain(words, column, Field.FRAGMENT, Field.FRAGMENT_FIRST, 3);
            case "later" -> constrain(words, column, Field.FRAGMENT, Field.FRAGMENT_LATER, 3);
            case "not_later" -> constrain(words, column, Field.FRAGMENT, 0, 2);
            default ->
                    throw new RuleSyntaxException(
                            textColumn,
                            text,
                            "is no kind of fragment; write no, yes, first, later or not_later");
        }
    }

    private void port(
            String key,
            String words,
            int column,
            Field field,
            String text,
            int textColumn,
            List<Integer> protocols)
            throws RuleSyntaxException {
        String remedy =
                switch (protocols.size() == 1 ? protocols.get(0) : 0) {
                    case 6 -> "add tcp or tcp6";
                    case 17 -> "add udp or udp6";
                    case 132 -> "add sctp or sctp6";
                    default -> "add tcp, udp, sctp or icmp (or tcp6, ...)";
                };
        ask(key, column, IP, protocols, remedy);
        int slash = text.indexOf('/');
        int value =
                (int)
                        Literals.number(
                                slash < 0 ? text : text.substring(0, slash), textColumn, 0xffff);
        int mask =
                slash < 0
                        ? 0xffff
                        : (int)
                                Literals.number(
                                        text.substring(slash + 1), textColumn + slash + 1, 0xffff);
        constrain(words, column, field, value & mask, mask);
        if (mask != 0) {
            constrain(words, column, Field.PORTS_PRESENT, 1, 1);
        }
    }

    private void icmp(
            String key,
            String words,
            int column,
            Field field,
            String text,
            int textColumn,
            List<Integer> types,
            List<Integer> protocols)
            throws RuleSyntaxException {
        String remedy = types.contains(IPV4) ? "add icmp or icmp6" : "add icmp6";
        ask(key, column, types, protocols, remedy);
        constrain(words, column, field, exact(text, textColumn, 0xff), 0xffff);
        constrain(words, column, Field.PORTS_PRESENT, 1, 1);
    }

    private void tcpFlags(String key, String words, int column, String text, int textColumn)
            throws RuleSyntaxException {
        ask(key, column, IP, List.of(6), "add tcp or tcp6");
        int value = 0;
        int mask = 0;
        if (text.charAt(0) == '+' || text.charAt(0) == '-') {
            int at = 0;
            while (at < text.length()) {
                int end = at + 1;
                while (end < text.length() && text.charAt(end) != '+' && text.charAt(end) != '-') {
                    end++;
                }
                int flag = FLAG_NAMES.indexOf(text.substring(at + 1, end).toLowerCase(Locale.ROOT));
                if (flag < 0) {
                    throw new RuleSyntaxException(
                            textColumn + at,
                            text.substring(at, end),
                            "is no TCP flag; there are " + String.join(", ", FLAG_NAMES));
                }
                mask |= 1 << flag;
                value |= text.charAt(at) == '+' ? 1 << flag : 0;
                at = end;
            }
        } else if (Character.isLetter(text.charAt(0))) {
            // Flags joined by | are all that are set.
            mask = 0xfff;
            int at = textColumn;
            for (String name : text.split("\\|", -1)) {
                int flag = FLAG_NAMES.indexOf(name.toLowerCase(Locale.ROOT));
                if (flag < 0) {
                    throw new RuleSyntaxException(
                            at, name, "is no TCP flag; there are " + String.join(", ", FLAG_NAMES));
                }
                value |= 1 << flag;
                at += name.length() + 1;
            }
        } else {
            int slash = text.indexOf('/');
            value =
                    (int)
                            Literals.number(
                                    slash < 0 ? text : text.substring(0, slash), textColumn, 0xfff);
            mask =
                    slash < 0
                            ? 0xfff
                            : (int)
                                    Literals.number(
                                            text.substring(slash + 1),
                                            textColumn + slash + 1,
                                            0xfff);
        }
        constrain(words, column, Field.TCP_FLAGS, value & mask, mask);
        if (mask != 0) {
            constrain(words, column, Field.PORTS_PRESENT, 1, 1);
        }
    }

    private void ask(
            String key, int column, List<Integer> types, List<Integer> protocols, String remedy) {
        asked.add(new Asked(key, column, types, protocols, remedy));
    }

    /** The match, once every prerequisite is met. */
    Match build() throws RuleSyntaxException {
        for (Asked a : asked) {
            boolean arp = etherType == ARP || etherType == RARP;
            if (arp) {
                throw new RuleSyntaxException(
                        a.column,
                        a.field,
                        "of an ARP packet is a field that packet headers in Sluice do not carry; match arp alone");
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
        Match.Builder match = new Match.Builder();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            match.word(w, values[w], masks[w]);
        }
        return match.build();
    }

    /** ICMP belongs to IPv4 and ICMPv6 to IPv6. */
    private boolean fits(int proto) {
        return proto != 1 && proto != 58 || (proto == 1) == (etherType == IPV4);
    }
}
