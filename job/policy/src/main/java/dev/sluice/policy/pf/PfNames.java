package dev.sluice.policy.pf;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Names that pf gives numbers, and words that say nothing about a packet's fate. */
final class PfNames {
    /** Types of ICMP. */
    static final Map<String, Integer> ICMP =
            numbers(
                    "echorep 0 unreach 3 squench 4 redir 5 althost 6 echoreq 8 routeradv 9 routersol 10"
                            + " timex 11 paramprob 12 timereq 13 timerep 14 inforeq 15 inforep 16"
                            + " maskreq 17 maskrep 18 trace 30 dataconv 31 mobredir 32 ipv6-where 33"
                            + " ipv6-here 34 mobregreq 35 mobregrep 36 skip 39 photuris 40");

    /** Types of ICMPv6. */
    static final Map<String, Integer> ICMP6 =
            numbers(
                    "unreach 1 toobig 2 timex 3 paramprob 4 echoreq 128 echorep 129 groupqry 130"
                            + " listqry 130 grouprep 131 listenrep 131 groupterm 132 listendone 132"
                            + " routersol 133 routeradv 134 neighbrsol 135 neighbradv 136 redir 137"
                            + " routrrenum 138 fqdnreq 139 niqry 139 wrureq 139 fqdnrep 140 nirep 140"
                            + " wrurep 140 mtraceresp 200 mtrace 201");

    /** Codes of ICMP. */
    static final Map<String, Integer> CODES =
            numbers(
                    "net-unr 0 host-unr 1 proto-unr 2 port-unr 3 needfrag 4 srcfail 5 net-unk 6"
                            + " host-unk 7 isolate 8 net-prohib 9 host-prohib 10 net-tos 11 host-tos 12"
                            + " filter-prohib 13 host-preced 14 cutoff-preced 15 redir-net 0"
                            + " redir-host 1 redir-tos-net 2 redir-tos-host 3 normal-adv 0"
                            + " common-adv 16 transit 0 reassemb 1 badhead 0 optmiss 1 badlen 2"
                            + " unknown-ind 1 unknown-proto 2");

    /** Codes of ICMPv6. */
    static final Map<String, Integer> CODES6 =
            numbers(
                    "noroute-unr 0 admin-unr 1 beyond-unr 2 notnbr-unr 2 addr-unr 3 port-unr 4"
                            + " transit 0 reassemb 1 badhead 0 nxthdr 1 redironlink 0 redirrouter 1");

    /** Letters of TCP flags, from the lowest bit on. */
    static final String FLAGS = "FSRPAUEW";

    /** Drivers, whose names are groups of their interfaces. */
    static final Set<String> DRIVERS =
            words(
                    "lo wg tun tap gif gre vlan bridge carp pppoe ppp enc trunk lagg aggr veb vport vether"
                            + " pflog pfsync svlan mgre egre ng epair ovpnc ovpns ipsec em igb igc ix ixl ice"
                            + " re rl bge bnx bnxt vio vtnet vmx xl fxp dc msk age ale axe axen ure cdce sis"
                            + " vr ste nfe iwn iwm ath ral urtwn run mcx mlx5en cxl ue hn xn");

    /** Options of the whole, beside those that are read. */
    static final Set<String> SETTINGS =
            words(
                    "timeout ruleset-optimization optimization limit loginterface block-policy state-policy"
                            + " state-defaults hostid require-order fingerprints debug reassemble"
                            + " syncookies fail-policy keepcounters skip");

    /** Options of rules that an argument follows, and that tell nothing of a packet's fate. */
    static final Set<String> WITH_ARGUMENT =
            words(
                    "tag queue prio dnpipe dnqueue rtable divert-packet rdomain min-ttl max-mss ridentifier"
                            + " max-pkt-rate label set scrub");

    /** Options of rules that rewrite or redirect packets which pass, with an address. */
    static final Set<String> REWRITING =
            words("nat-to rdr-to binat-to af-to route-to reply-to dup-to divert-to");

    /** Options of rules that stand for themselves. */
    static final Set<String> PLAIN =
            words(
                    "allow-opts static-port bitmask random source-hash round-robin sticky-address"
                            + " least-states fastroute divert-reply once dnqueue no-df random-id");

    private PfNames() {}

    private static Set<String> words(String text) {
        return Set.of(text.split(" "));
    }

    private static Map<String, Integer> numbers(String pairs) {
        String[] words = pairs.split(" ");
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            numbers.put(words[i], Integer.valueOf(words[i + 1]));
        }
        return Map.copyOf(numbers);
    }
}
