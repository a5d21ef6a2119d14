package dev.sluice.policy.nft;

import java.util.Set;

/** Reserved words of nft's language: they name nothing unless they stand in quotes. */
public final class Keywords {
    private static final Set<String> ALL =
            Set.of(
                    ("accept add ah all and arp auto-merge bridge cgroup chain"
                                    + " comment comp constant continue counter cpu create ct day"
                                    + " dccp define delete describe device devices dnat drop dst"
                                    + " dup dynamic ecn element elements eq esp ether exists"
                                    + " expires export exthdr fib flags flow flowtable flush frag"
                                    + " fwd gc-interval ge get goto gt handle hbh hook hour"
                                    + " ibriport ibrname icmp icmpv6 igmp iif iifgroup iifname"
                                    + " iiftype import include index inet insert interval ip ip6"
                                    + " ipsec jhash jump le limit list log lshift lt map mark"
                                    + " masquerade meta meter mh missing monitor ne netdev nftrace"
                                    + " not notrack numgen obriport obrname offload oif oifgroup"
                                    + " oifname oiftype or osf pkttype policy position priority"
                                    + " queue quota random redefine redirect reject rename replace"
                                    + " reset return rshift rt rt0 rt2 rtclassid rule ruleset sctp"
                                    + " secmark set size skgid skuid snat socket srh symhash"
                                    + " synproxy table tcp th time timeout tproxy type typeof udp"
                                    + " udplite undefine update vlan vmap xor xt")
                            .split(" "));

    /** Words that stand for protocols where a value is wanted. */
    private static final Set<String> VALUES =
            Set.of(
                    "ah",
                    "arp",
                    "comp",
                    "dccp",
                    "ecn",
                    "esp",
                    "ether",
                    "icmp",
                    "icmpv6",
                    "igmp",
                    "ip",
                    "ip6",
                    "sctp",
                    "tcp",
                    "udp",
                    "udplite",
                    "vlan",
                    "exists",
                    "missing",
                    "dnat",
                    "snat",
                    "random",
                    "last",
                    "mark",
                    "reset",
                    "redirect",
                    "original",
                    "reply");

    private Keywords() {}

    /** Returns whether a word names nothing. */
    public static boolean isWord(String text) {
        return ALL.contains(text);
    }

    /** Returns whether a word is no value. */
    static boolean isNoValue(String text) {
        return ALL.contains(text) && !VALUES.contains(text);
    }
}
