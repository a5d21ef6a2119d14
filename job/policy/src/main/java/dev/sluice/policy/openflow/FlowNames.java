package dev.sluice.policy.openflow;

import dev.sluice.policy.RuleSyntaxException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Names of Open vSwitch's match fields: several for one field, and those that Sluice refuses. */
final class FlowNames {
    /** Fields of Open vSwitch that packet headers in Sluice do not carry. */
    private static final List<String> NOT_CARRIED =
            List.of(
                    "arp_",
                    "nd_",
                    "tun_",
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

    private FlowNames() {}

    /** The name that stands for all names of a field. */
    static String of(String name) {
        return SAME.getOrDefault(name, name);
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
                    "is the state of a connection, which no capture states; remove the flow, or match without it",
                    "ct");
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
}
