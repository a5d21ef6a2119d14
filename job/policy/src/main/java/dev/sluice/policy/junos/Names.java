package dev.sluice.policy.junos;

import java.util.HashMap;
import java.util.Map;

/**
 * Names that Junos has for numbers, which differ from those of {@code /etc/services} in places.
 * Sources: the tables of "Firewall Filter Match Conditions for IPv4 Traffic" and "... for IPv6
 * Traffic" in Juniper's Routing Policies, Firewall Filters, and Traffic Policers User Guide.
 */
final class Names {
    static final Map<String, Integer> PORTS =
            of(
                    "afs 1483 bgp 179 biff 512 bootpc 68 bootps 67 cmd 514 cvspserver 2401 dhcp 67"
                            + " domain 53 eklogin 2105 ekshell 2106 exec 512 finger 79 ftp 21"
                            + " ftp-data 20 http 80 https 443 ident 113 imap 143 kerberos-sec 88"
                            + " klogin 543 kpasswd 761 krb-prop 754 krbupdate 760 kshell 544"
                            + " ldap 389 ldp 646 login 513 mobileip-agent 434 mobilip-mn 435"
                            + " msdp 639 netbios-dgm 138 netbios-ns 137 netbios-ssn 139 nfsd 2049"
                            + " nntp 119 ntalk 518 ntp 123 pop3 110 pptp 1723 printer 515"
                            + " radacct 1813 radius 1812 rip 520 rkinit 2108 smtp 25 snmp 161"
                            + " snmptrap 162 snpp 444 socks 1080 ssh 22 sunrpc 111 syslog 514"
                            + " tacacs 49 tacacs-ds 65 talk 517 telnet 23 tftp 69 timed 525"
                            + " who 513 xdmcp 177 zephyr-clt 2103 zephyr-hm 2104");

    static final Map<String, Integer> PROTOCOLS =
            of(
                    "ah 51 dstopts 60 dstops 60 egp 8 esp 50 fragment 44 gre 47 hop-by-hop 0 icmp 1"
                            + " icmp6 58 icmpv6 58 igmp 2 ipip 4 ipv6 41 mobility 135"
                            + " no-next-header 59 ospf 89 pim 103 routing 43 rsvp 46 sctp 132"
                            + " tcp 6 udp 17 vrrp 112");

    private static final Map<String, Integer> TYPES =
            of(
                    "destination-unreachable 3 echo-reply 0 echo-request 8 info-reply 16"
                            + " info-request 15 mask-reply 18 mask-request 17 parameter-problem 12"
                            + " redirect 5 router-advertisement 9 router-solicit 10"
                            + " source-quench 4 time-exceeded 11 timestamp 13 timestamp-reply 14"
                            + " unreachable 3");

    private static final Map<String, Integer> TYPES6 =
            of(
                    "certificate-path-advertisement 149 certificate-path-solicitation 148"
                            + " destination-unreachable 1 echo-reply 129 echo-request 128"
                            + " home-agent-address-discovery-reply 145"
                            + " home-agent-address-discovery-request 144"
                            + " inverse-neighbor-discovery-advertisement 142"
                            + " inverse-neighbor-discovery-solicitation 141 membership-query 130"
                            + " membership-report 131 membership-termination 132"
                            + " mobile-prefix-advertisement-reply 147"
                            + " mobile-prefix-solicitation 146 neighbor-advertisement 136"
                            + " neighbor-solicit 135 node-information-reply 140"
                            + " node-information-request 139 packet-too-big 2 parameter-problem 4"
                            + " redirect 137 router-advertisement 134 router-renumbering 138"
                            + " router-solicit 133 time-exceeded 3");

    private static final Map<String, Integer> CODES =
            of(
                    "communication-prohibited-by-filtering 13 destination-host-prohibited 10"
                            + " destination-host-unknown 7 destination-network-prohibited 9"
                            + " destination-network-unknown 6 fragmentation-needed 4"
                            + " host-precedence-violation 14 host-unreachable 1"
                            + " host-unreachable-for-tos 12 ip-header-bad 0 network-unreachable 0"
                            + " network-unreachable-for-tos 11 port-unreachable 3"
                            + " precedence-cutoff-in-effect 15 protocol-unreachable 2"
                            + " redirect-for-host 1 redirect-for-network 0"
                            + " redirect-for-tos-and-host 3 redirect-for-tos-and-net 2"
                            + " required-option-missing 1 source-host-isolated 8"
                            + " source-route-failed 5 ttl-eq-zero-during-reassembly 1"
                            + " ttl-eq-zero-during-transit 0");

    private static final Map<String, Integer> CODES6 =
            of(
                    "address-unreachable 3 administratively-prohibited 1 ip6-header-bad 0"
                            + " no-route-to-destination 0 port-unreachable 4"
                            + " ttl-eq-zero-during-reassembly 1 ttl-eq-zero-during-transit 0"
                            + " unrecognized-next-header 1 unrecognized-option 2");

    static final Map<String, Integer> DSCP =
            of(
                    "be 0 ef 46 af11 10 af12 12 af13 14 af21 18 af22 20 af23 22 af31 26 af32 28"
                            + " af33 30 af41 34 af42 36 af43 38 cs0 0 cs1 8 cs2 16 cs3 24 cs4 32"
                            + " cs5 40 cs6 48 cs7 56");

    static final Map<String, Integer> PRECEDENCE =
            of(
                    "critical-ecp 5 flash 3 flash-override 4 immediate 2 internet-control 6"
                            + " net-control 7 priority 1 routine 0");

    private Names() {}

    /** Names of types of ICMP. */
    static Map<String, Integer> icmpTypes(boolean v6) {
        return v6 ? TYPES6 : TYPES;
    }

    /** Names of codes of ICMP. */
    static Map<String, Integer> icmpCodes(boolean v6) {
        return v6 ? CODES6 : CODES;
    }

    private static Map<String, Integer> of(String pairs) {
        String[] words = pairs.split(" ");
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            numbers.put(words[i], Integer.valueOf(words[i + 1]));
        }
        return Map.copyOf(numbers);
    }
}
