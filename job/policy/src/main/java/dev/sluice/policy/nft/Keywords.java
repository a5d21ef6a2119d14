package dev.sluice.policy.nft;

import java.util.Set;

/** Reserved words of nft's language: they name nothing unless they stand in quotes. */
public final class Keywords {
    private static final Set<String> ALL =
            Set.of(
                    ("accept add addr ah all and arp auto-merge bridge burst bypass bytes cgroup"
                                    + " chain chains comment comp continue count counter counters cpu"
                                    + " create ct daddr dccp define delete describe destroy devgroup"
                                    + " device devices dnat drop dst dup dynamic egress element"
                                    + " elements ether exists expires export exthdr fib flags flow"
                                    + " flowtable flush frag fwd ge goto gt handle hbh helper"
                                    + " hook ibrname icmp icmpv6 igmp iif iifgroup iifname"
                                    + " iiftype import include index inet ingress insert interval ip"
                                    + " ip6 jhash jump l4proto last le length level limit list log lt"
                                    + " map maps mark mask masquerade mbytes meta meter meters mh"
                                    + " missing monitor name ne netdev nfproto nftrace notrack num"
                                    + " numgen obrname oif oifgroup oifname oiftype or osf over packets"
                                    + " per performance pkttype policy position prefix priority"
                                    + " protocol queue quota quotas random rate redefine redirect"
                                    + " reject rename replace reset return rt rtclassid rule rules"
                                    + " ruleset saddr sctp secmark set sets size skgid skuid snaplen"
                                    + " snat socket sport dport symhash synproxy table tables tcp th"
                                    + " timeout to tproxy type typeof udp udplite undefine until"
                                    + " update used vlan vmap with xor xt")
                            .split(" "));

    /** Words that stand for protocols where a value is wanted. */
    private static final Set<String> VALUES =
            Set.of(
                    "ah",
                    "arp",
                    "comp",
                    "dccp",
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
