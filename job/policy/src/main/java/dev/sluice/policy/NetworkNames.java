package dev.sluice.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Names of protocols, ports and TCP flags; the first two as {@code /etc/protocols} and {@code
 * /etc/services} have them.
 */
public final class NetworkNames {
    /** Numbers of the protocols with ports. */
    public static final Set<Integer> WITH_PORTS = Set.of(6, 17, 33, 132, 136);

    /** Names of TCP flags, from the lowest bit on. */
    public static final List<String> TCP_FLAGS =
            List.of("fin", "syn", "rst", "psh", "ack", "urg", "ece", "cwr", "ns");

    /** Numbers of protocols; iptables-save prints their names. */
    public static final Map<String, Integer> PROTOCOLS =
            numbers(
                    "all 0 ip 0 hopopt 0 icmp 1 igmp 2 ggp 3 ipencap 4 ipv4 4 st 5 tcp 6 cbt 7 egp 8"
                            + " igp 9 pup 12 udp 17 hmp 20 xns-idp 22 rdp 27 iso-tp4 29 dccp 33 xtp 36"
                            + " ddp 37 idpr-cmtp 38 ipv6 41 sdrp 42 ipv6-route 43 ipv6-frag 44 idrp 45"
                            + " rsvp 46 gre 47 esp 50 ah 51 skip 57 ipv6-icmp 58 icmpv6 58 icmp6 58"
                            + " ipv6-nonxt 59 ipv6-opts 60 rspf 73 vmtp 81 eigrp 88 ospf 89 ospfigp 89"
                            + " ax.25 93 ipip 94 etherip 97 encap 98 pim 103 ipcomp 108 vrrp 112"
                            + " carp 112 l2tp 115 isis 124 sctp 132 fc 133 ipv6-mh 135 mh 135"
                            + " mobility-header 135 udplite 136 mpls-in-ip 137 manet 138 hip 139"
                            + " shim6 140 wesp 141 rohc 142 ethernet 143");

    /** Numbers of services that rules use; iptables-save prints numbers. */
    public static final Map<String, Integer> SERVICES =
            numbers(
                    "echo 7 discard 9 daytime 13 chargen 19 ftp-data 20 ftp 21 ssh 22 telnet 23 smtp 25"
                            + " time 37 whois 43 tacacs 49 domain 53 bootps 67 bootpc 68 tftp 69"
                            + " gopher 70 finger 79 http 80 www 80 kerberos 88 pop3 110 sunrpc 111"
                            + " auth 113 nntp 119 ntp 123 epmap 135 netbios-ns 137 netbios-dgm 138"
                            + " netbios-ssn 139 imap2 143 imap 143 snmp 161 snmp-trap 162 snmptrap 162"
                            + " bgp 179 ldap 389 svrloc 427 https 443 snpp 444"
                            + " microsoft-ds 445 kpasswd 464 submissions 465 isakmp 500 exec 512"
                            + " login 513 syslog 514 printer 515 route 520 rtsp 554 nntps 563"
                            + " submission 587 ipp 631 ldaps 636 domain-s 853 rsync 873 ftps 990"
                            + " telnets 992 imaps 993 pop3s 995 socks 1080 openvpn 1194"
                            + " ms-sql-s 1433 ms-sql-m 1434 l2f 1701 l2tp 1701 radius 1812"
                            + " radius-acct 1813 nfs 2049 iscsi-target 3260 mysql 3306"
                            + " ms-wbt-server 3389 svn 3690 ipsec-nat-t 4500 sip 5060 sip-tls 5061"
                            + " mdns 5353 postgresql 5432 amqp 5672 x11 6000 http-alt 8080"
                            + " bacula-dir 9101 git 9418");

    private NetworkNames() {}

    private static Map<String, Integer> numbers(String pairs) {
        String[] words = pairs.split(" ");
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < words.length; i += 2) {
            numbers.put(words[i], Integer.valueOf(words[i + 1]));
        }
        return Map.copyOf(numbers);
    }
}
