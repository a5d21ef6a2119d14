package dev.sluice.policy.nft;

import dev.sluice.policy.NetworkNames;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Type of what an expression loads, and of the elements of sets. */
enum DataType {
    IPV4("ipv4_addr", 32),
    IPV6("ipv6_addr", 128),
    MAC("ether_addr", 48),
    PORT("inet_service", 16),
    PROTOCOL("inet_proto", 8),
    MARK("mark", 32),
    STATE("ct_state", 32, "invalid 1 established 2 related 4 new 8 untracked 64"),
    CT_DIRECTION("ct_dir", 8, "original 0 reply 1"),
    CT_STATUS(
            "ct_status",
            32,
            "expected 1 seen-reply 2 assured 4 confirmed 8 snat 16 dnat 32 dying 512"),
    NAME("ifname", 128),
    INDEX("iface_index", 32),
    ICMP_TYPE(
            "icmp_type",
            8,
            "echo-reply 0 destination-unreachable 3 source-quench 4 redirect 5 echo-request 8"
                    + " router-advertisement 9 router-solicitation 10 time-exceeded 11"
                    + " parameter-problem 12 timestamp-request 13 timestamp-reply 14"
                    + " info-request 15 info-reply 16 address-mask-request 17"
                    + " address-mask-reply 18"),
    ICMP6_TYPE(
            "icmpv6_type",
            8,
            "destination-unreachable 1 packet-too-big 2 time-exceeded 3 parameter-problem 4"
                    + " echo-request 128 echo-reply 129 mld-listener-query 130"
                    + " mld-listener-report 131 mld-listener-done 132 mld-listener-reduction 132"
                    + " nd-router-solicit 133 nd-router-advert 134 nd-neighbor-solicit 135"
                    + " nd-neighbor-advert 136 nd-redirect 137 router-renumbering 138"
                    + " ind-neighbor-solicit 141 ind-neighbor-advert 142"
                    + " mld2-listener-report 143"),
    ICMP_CODE(
            "icmp_code",
            8,
            "net-unreachable 0 host-unreachable 1 prot-unreachable 2 port-unreachable 3"
                    + " frag-needed 4 net-prohibited 9 host-prohibited 10 admin-prohibited 13"),
    ICMP6_CODE(
            "icmpv6_code",
            8,
            "no-route 0 admin-prohibited 1 addr-unreachable 3 port-unreachable 4"
                    + " policy-fail 5 reject-route 6"),
    ICMPX_CODE(
            "icmpx_code", 8, "no-route 0 port-unreachable 1 host-unreachable 2 admin-prohibited 3"),
    TCP_FLAGS("tcp_flag", 8, "fin 1 syn 2 rst 4 psh 8 ack 16 urg 32 ecn 64 cwr 128"),
    DSCP(
            "dscp",
            6,
            "cs0 0 cs1 8 cs2 16 cs3 24 cs4 32 cs5 40 cs6 48 cs7 56 df 0 be 0 lephb 1"
                    + " af11 10 af12 12 af13 14 af21 18 af22 20 af23 22 af31 26 af32 28 af33 30"
                    + " af41 34 af42 36 af43 38 va 44 ef 46"),
    ECN("ecn", 2, "not-ect 0 ect1 1 ect0 2 ce 3"),
    ETHER_TYPE("ether_type", 16, "ip 2048 arp 2054 ip6 34525 8021q 33024 8021ad 34984 vlan 33024"),
    NF_PROTO("nf_proto", 8, "ipv4 2 ipv6 10"),
    PACKET_TYPE("pkt_type", 8, "host 0 unicast 0 broadcast 1 multicast 2 other 3"),
    ROUTE_TYPE(
            "fib_addrtype",
            8,
            "unspec 0 unicast 1 local 2 broadcast 3 anycast 4 multicast 5 blackhole 6"
                    + " unreachable 7 prohibit 8"),
    ARP_OPERATION(
            "arp_op", 16, "request 1 reply 2 rrequest 3 rreply 4 inrequest 8 inreply 9 nak 10"),
    BOOLEAN("boolean", 1, "exists 1 missing 0 true 1 false 0"),
    BIT("", 1),
    THREE_BITS("", 3),
    NIBBLE("", 4),
    TWELVE_BITS("", 12),
    BYTE("", 8),
    SHORT("", 16),
    INTEGER("", 32),
    VERDICT("verdict", 32),
    /** Values of something that no header tells: any words. */
    UNSEEN("", 128);

    /** Number of IPComp, whose name is a word of nft. */
    private static final Integer COMP = 108;

    private static final Map<String, DataType> NAMED = new HashMap<>();

    static {
        for (String unseen :
                ("integer string uid gid iface_type devgroup classid realm cgroupsv2 ct_label"
                                + " ct_event ct_id time hour day igmp_type dccp_pkttype"
                                + " mh_type arp_op counter quota limit secmark synproxy")
                        .split(" ")) {
            NAMED.put(unseen, UNSEEN);
        }
        for (DataType type : values()) {
            if (!type.label.isEmpty()) {
                NAMED.put(type.label, type);
            }
        }
    }

    private final String label;
    private final int bits;

    @SuppressWarnings("ImmutableEnumChecker") // filled by the constructor alone
    private final Map<String, Integer> symbols = new HashMap<>();

    DataType(String label, int bits) {
        this(label, bits, "");
    }

    DataType(String label, int bits, String symbols) {
        this.label = label;
        this.bits = bits;
        String[] words = symbols.split(" ", -1);
        for (int i = 0; i + 1 < words.length; i += 2) {
            this.symbols.put(words[i], Integer.valueOf(words[i + 1]));
        }
    }

    /** The type of a set's key by its name; null: Sluice knows none. */
    static @Nullable DataType named(String name) {
        return NAMED.get(name);
    }

    int bits() {
        return bits;
    }

    /** The word of sets for it. */
    String label() {
        return label.isEmpty() ? name().toLowerCase(Locale.ROOT) : label;
    }

    /** Returns whether values are sets of bits, of which a match without operator asks for any. */
    boolean isBits() {
        return this == STATE || this == TCP_FLAGS || this == CT_STATUS;
    }

    /** The number of a name; null: it has none. */
    @Nullable Integer symbol(String name) {
        if (this == PORT) {
            return NetworkNames.SERVICES.get(name);
        }
        if (this == PROTOCOL) {
            return name.equals("comp") ? COMP : NetworkNames.PROTOCOLS.get(name);
        }
        return symbols.get(name);
    }
}
