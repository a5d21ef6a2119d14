package dev.sluice.policy.nft;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields that nft knows and no header of Sluice tells, with the types of their values. */
final class UnseenFields {
    /** Types and fields by header; a type is that of all fields behind it. */
    private static final Map<String, Map<String, DataType>> FIELDS =
            table(
                    "ip: NIBBLE hdrlength version SHORT length id checksum",
                    "ip6: NIBBLE version SHORT length INTEGER flowlabel",
                    "tcp: INTEGER sequence ackseq NIBBLE doff reserved SHORT window checksum urgptr",
                    "udp: SHORT length checksum",
                    "udplite: SHORT csumcov checksum",
                    "sctp: INTEGER vtag checksum",
                    "dccp: UNSEEN type",
                    "icmp: SHORT checksum id sequence mtu IPV4 gateway",
                    "icmpv6: SHORT checksum id sequence max-delay INTEGER mtu parameter-problem"
                            + " packet-too-big",
                    "igmp: UNSEEN type SHORT checksum BYTE mrt IPV4 group",
                    "esp: INTEGER spi sequence",
                    "ah: PROTOCOL nexthdr BYTE hdrlength SHORT reserved INTEGER spi sequence",
                    "comp: PROTOCOL nexthdr BYTE flags UNSEEN cpi",
                    "vlan: TWELVE_BITS id THREE_BITS pcp BIT dei cfi ETHER_TYPE type",
                    "arp: SHORT htype ETHER_TYPE ptype BYTE hlen plen MAC saddr_ether daddr_ether",
                    "meta: INTEGER length cpu random cgroup UNSEEN priority iiftype oiftype skuid"
                            + " skgid rtclassid ibriport obriport ibrpvid ibrvproto iifgroup"
                            + " oifgroup iifkind oifkind time hour day sdif secmark NAME ibrname"
                            + " obrname sdifname PACKET_TYPE pkttype BOOLEAN nftrace ipsec secpath broute",
                    "socket: BIT transparent wildcard MARK mark",
                    "ct: CT_DIRECTION direction CT_STATUS status NAME helper NF_PROTO l3proto UNSEEN expiration label count id bytes"
                            + " packets avgpkt saddr daddr secmark event SHORT zone MARK mark PROTOCOL"
                            + " protocol PORT proto-src proto-dst IPV4 ip_saddr ip_daddr IPV6"
                            + " ip6_saddr ip6_daddr");

    private UnseenFields() {}

    private static Map<String, Map<String, DataType>> table(String... rows) {
        Map<String, Map<String, DataType>> table = new HashMap<>();
        for (String row : rows) {
            int colon = row.indexOf(':');
            Map<String, DataType> fields = new HashMap<>();
            DataType type = DataType.UNSEEN;
            for (String word : row.substring(colon + 2).split(" ", -1)) {
                if (word.equals(word.toUpperCase(Locale.ROOT))) {
                    type = DataType.valueOf(word);
                } else {
                    fields.put(word.replace('_', ' '), type);
                }
            }
            table.put(row.substring(0, colon), fields);
        }
        return table;
    }

    /** The type of a field; null: it is none of them. */
    static @Nullable DataType type(String header, String field) {
        return FIELDS.getOrDefault(header, Map.of()).get(field);
    }
}
