package dev.sluice.policy.iptables;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options of match modules and targets, each with the number of its arguments.
 *
 * <p>A table is a text: name, colon, options; {@code =} behind an option that takes an argument.
 */
final class Modules {
    /** Matches on what no header tells: their conditions are unknown. */
    static final Map<String, Map<String, Integer>> UNKNOWN =
            table(
                    "limit: --limit= --limit-burst=",
                    "recent: --set --rcheck --update --remove --seconds= --reap --hitcount= --rttl"
                            + " --name= --mask= --rsource --rdest",
                    "hashlimit: --hashlimit= --hashlimit-upto= --hashlimit-above="
                            + " --hashlimit-burst= --hashlimit-mode= --hashlimit-srcmask="
                            + " --hashlimit-dstmask= --hashlimit-name= --hashlimit-htable-size="
                            + " --hashlimit-htable-max= --hashlimit-htable-expire="
                            + " --hashlimit-htable-gcinterval= --hashlimit-rate-match"
                            + " --hashlimit-rate-interval=",
                    "connlimit: --connlimit-upto= --connlimit-above= --connlimit-mask="
                            + " --connlimit-saddr --connlimit-daddr",
                    "owner: --uid-owner= --gid-owner= --socket-exists --suppl-groups",
                    "string: --algo= --from= --to= --string= --hex-string= --icase",
                    "time: --datestart= --datestop= --timestart= --timestop= --monthdays="
                            + " --weekdays= --contiguous --kerneltz --utc --localtz",
                    "statistic: --mode= --probability= --every= --packet=",
                    "quota: --quota=",
                    "connbytes: --connbytes= --connbytes-dir= --connbytes-mode=",
                    "connmark: --mark=",
                    "rpfilter: --loose --validmark --accept-local --invert",
                    "helper: --helper=",
                    "realm: --realm=",
                    "cgroup: --path= --cgroup=",
                    "cpu: --cpu=",
                    "socket: --transparent --nowildcard --restore-skmark",
                    "physdev: --physdev-in= --physdev-out= --physdev-is-in --physdev-is-out"
                            + " --physdev-is-bridged",
                    "pkttype: --pkt-type=",
                    "length: --length=",
                    "policy: --dir= --pol= --strict --reqid= --spi= --proto= --mode="
                            + " --tunnel-src= --tunnel-dst= --next");

    /** Targets that change nothing which decides about a packet. */
    static final Map<String, Map<String, Integer>> CONTINUING =
            table(
                    "LOG: --log-prefix= --log-level= --log-tcp-sequence --log-tcp-options"
                            + " --log-ip-options --log-uid --log-macdecode",
                    "NFLOG: --nflog-group= --nflog-prefix= --nflog-range= --nflog-size="
                            + " --nflog-threshold=",
                    "ULOG: --ulog-nlgroup= --ulog-prefix= --ulog-cprange= --ulog-qthreshold=",
                    "AUDIT: --type=",
                    "TRACE:",
                    "NOTRACK:",
                    "CT: --notrack --helper= --ctevents= --expevents= --zone= --zone-orig="
                            + " --zone-reply= --timeout=",
                    "CLASSIFY: --set-class=",
                    "CHECKSUM: --checksum-fill",
                    "TCPMSS: --set-mss= --clamp-mss-to-pmtu",
                    "TCPOPTSTRIP: --strip-options=",
                    "MARK: --set-mark= --set-xmark= --and-mark= --or-mark= --xor-mark=",
                    "CONNMARK: --set-mark= --set-xmark= --save-mark --restore-mark --nfmask="
                            + " --ctmask= --mask= --and-mark= --or-mark= --xor-mark=",
                    "SECMARK: --selctx=",
                    "CONNSECMARK: --save --restore",
                    "SET: --add-set== --del-set== --timeout= --exist",
                    "TOS: --set-tos= --and-tos= --or-tos= --xor-tos=",
                    "DSCP: --set-dscp= --set-dscp-class=",
                    "TTL: --ttl-set= --ttl-dec= --ttl-inc=",
                    "HL: --hl-set= --hl-dec= --hl-inc=",
                    "ECN: --ecn-tcp-remove",
                    "TEE: --gateway=");

    /** Targets that decide, and those of the table nat. */
    static final Map<String, Map<String, Integer>> OTHER =
            table(
                    "ACCEPT:",
                    "DROP:",
                    "REJECT: --reject-with=",
                    "QUEUE:",
                    "NFQUEUE: --queue-num= --queue-balance= --queue-bypass --queue-cpu-fanout",
                    "RETURN:",
                    "DNAT: --to-destination= --random --persistent",
                    "SNAT: --to-source= --random --random-fully --persistent",
                    "MASQUERADE: --to-ports= --random --random-fully",
                    "REDIRECT: --to-ports= --random",
                    "NETMAP: --to=");

    /** Modules of protocols that can be named by {@code -p}, with their numbers. */
    static final Map<String, Integer> PROTOCOLS =
            Map.ofEntries(
                    Map.entry("icmp", 1),
                    Map.entry("igmp", 2),
                    Map.entry("ipencap", 4),
                    Map.entry("tcp", 6),
                    Map.entry("egp", 8),
                    Map.entry("udp", 17),
                    Map.entry("dccp", 33),
                    Map.entry("ipv6", 41),
                    Map.entry("rsvp", 46),
                    Map.entry("gre", 47),
                    Map.entry("esp", 50),
                    Map.entry("ah", 51),
                    Map.entry("ipv6-icmp", 58),
                    Map.entry("icmpv6", 58),
                    Map.entry("icmp6", 58),
                    Map.entry("eigrp", 88),
                    Map.entry("ospf", 89),
                    Map.entry("ipip", 94),
                    Map.entry("pim", 103),
                    Map.entry("vrrp", 112),
                    Map.entry("l2tp", 115),
                    Map.entry("sctp", 132),
                    Map.entry("udplite", 136));

    /** Protocols with ports. */
    static final Set<Integer> WITH_PORTS = Set.of(6, 17, 33, 132, 136);

    private Modules() {}

    private static Map<String, Map<String, Integer>> table(String... rows) {
        Map<String, Map<String, Integer>> table = new LinkedHashMap<>();
        for (String row : rows) {
            int colon = row.indexOf(':');
            Map<String, Integer> options = new LinkedHashMap<>();
            for (String option : row.substring(colon + 1).strip().split("\\s+")) {
                int from = option.indexOf('=');
                if (from < 0) {
                    options.put(option, 0);
                } else {
                    options.put(option.substring(0, from), option.length() - from);
                }
            }
            table.put(row.substring(0, colon), options);
        }
        return table;
    }

    /** The options of a target; null: it is unknown. */
    static @Nullable Map<String, Integer> target(String name) {
        Map<String, Integer> options = CONTINUING.get(name);
        return options == null ? OTHER.get(name) : options;
    }
}
