package dev.sluice.policy.iptables;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
                    "rateest: --rateest= --rateest1= --rateest2= --rateest-delta --rateest-bps=="
                            + " --rateest-bps1= --rateest-bps2= --rateest-pps= --rateest-pps1="
                            + " --rateest-pps2= --rateest-lt --rateest-gt --rateest-eq",
                    "cgroup: --path= --cgroup=",
                    "cpu: --cpu=",
                    "socket: --transparent --nowildcard --restore-skmark",
                    "physdev: --physdev-in= --physdev-out= --physdev-is-in --physdev-is-out"
                            + " --physdev-is-bridged",
                    "tcpmss: --mss=",
                    "connlabel: --label= --set",
                    "devgroup: --src-group= --dst-group=",
                    "nfacct: --nfacct-name=",
                    "osf: --genre= --ttl= --log=",
                    "ipvs: --ipvs --vproto= --vaddr= --vport= --vdir= --vmethod= --vportctl=",
                    "cluster: --cluster-total-nodes= --cluster-local-node="
                            + " --cluster-local-nodemask= --cluster-hash-seed=",
                    "rt: --rt-type= --rt-segsleft= --rt-len= --rt-0-res --rt-0-addrs="
                            + " --rt-0-not-strict",
                    "hbh: --hbh-len= --hbh-opts=",
                    "dst: --dst-len= --dst-opts=",
                    "mh: --mh-type=",
                    "ipv6header: --header= --soft",
                    "ah6: --ahspi= --ahlen= --ahres",
                    "eui64:",
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
                    "SET: --add-set== --del-set== --timeout= --exist --map-set== --map-mark"
                            + " --map-prio --map-queue",
                    "TOS: --set-tos= --and-tos= --or-tos= --xor-tos=",
                    "DSCP: --set-dscp= --set-dscp-class=",
                    "TTL: --ttl-set= --ttl-dec= --ttl-inc=",
                    "HL: --hl-set= --hl-dec= --hl-inc=",
                    "ECN: --ecn-tcp-remove",
                    "TEE: --gateway=",
                    "IDLETIMER: --timeout= --label= --alarm",
                    "LED: --led-trigger-id= --led-delay= --led-always-blink",
                    "RATEEST: --rateest-name= --rateest-interval= --rateest-ewmalog=",
                    "HMARK: --hmark-tuple= --hmark-mod= --hmark-offset= --hmark-src-prefix="
                            + " --hmark-dst-prefix= --hmark-sport-mask= --hmark-dport-mask="
                            + " --hmark-spi-mask= --hmark-proto-mask= --hmark-rnd=");

    /** Targets that decide, and those of the table nat. */
    static final Map<String, Map<String, Integer>> OTHER =
            table(
                    "ACCEPT:",
                    "DROP:",
                    "REJECT: --reject-with=",
                    "QUEUE:",
                    "NFQUEUE: --queue-num= --queue-balance= --queue-bypass --queue-cpu-fanout",
                    "RETURN:",
                    "SYNPROXY: --mss= --wscale= --sack-perm --timestamp --ecn",
                    "TPROXY: --on-port= --on-ip= --tproxy-mark=",
                    "DNAT: --to-destination= --random --persistent",
                    "SNAT: --to-source= --random --random-fully --persistent",
                    "MASQUERADE: --to-ports= --random --random-fully",
                    "REDIRECT: --to-ports= --random",
                    "NETMAP: --to=");

    /** Modules of a protocol, with its number. */
    static final Map<String, Integer> TRANSPORTS =
            Map.of(
                    "tcp", 6, "udp", 17, "sctp", 132, "dccp", 33, "icmp", 1, "icmp6", 58, "esp", 50,
                    "ah", 51);

    /** Modules whose options Sluice understands, with these. */
    static final Map<String, Set<String>> KNOWN =
            Map.ofEntries(
                    Map.entry(
                            "tcp",
                            Set.of("--sport", "--dport", "--tcp-flags", "--syn", "--tcp-option")),
                    Map.entry("udp", Set.of("--sport", "--dport")),
                    Map.entry("sctp", Set.of("--sport", "--dport", "--chunk-types")),
                    Map.entry(
                            "dccp", Set.of("--sport", "--dport", "--dccp-types", "--dccp-option")),
                    Map.entry("icmp", Set.of("--icmp-type")),
                    Map.entry("icmp6", Set.of("--icmpv6-type")),
                    Map.entry("esp", Set.of("--espspi")),
                    Map.entry("ah", Set.of("--ahspi")),
                    Map.entry("multiport", Set.of("--sports", "--dports", "--ports")),
                    Map.entry("iprange", Set.of("--src-range", "--dst-range")),
                    Map.entry("set", Set.of("--match-set")),
                    Map.entry("state", Set.of("--state")),
                    Map.entry("conntrack", Set.of("--ctstate")),
                    Map.entry("mac", Set.of("--mac-source")),
                    Map.entry("mark", Set.of("--mark")),
                    Map.entry(
                            "addrtype",
                            Set.of(
                                    "--src-type",
                                    "--dst-type",
                                    "--limit-iface-in",
                                    "--limit-iface-out")),
                    Map.entry("comment", Set.of("--comment")),
                    Map.entry("dscp", Set.of("--dscp", "--dscp-class")),
                    Map.entry("tos", Set.of("--tos")),
                    Map.entry("length", Set.of("--length")),
                    Map.entry("pkttype", Set.of("--pkt-type")),
                    Map.entry("ecn", Set.of("--ecn-tcp-cwr", "--ecn-tcp-ece", "--ecn-ip-ect")),
                    Map.entry("ttl", Set.of("--ttl-eq", "--ttl", "--ttl-lt", "--ttl-gt")),
                    Map.entry("hl", Set.of("--hl-eq", "--hl-lt", "--hl-gt")),
                    Map.entry(
                            "frag",
                            Set.of(
                                    "--fragid",
                                    "--fraglen",
                                    "--fragres",
                                    "--fragfirst",
                                    "--fragmore",
                                    "--fraglast")));

    /** Modules that need no option. */
    static final Set<String> NO_OPTION =
            Set.of(
                    "tcp",
                    "udp",
                    "sctp",
                    "dccp",
                    "esp",
                    "ah",
                    "ah6",
                    "frag",
                    "limit",
                    "time",
                    "rpfilter",
                    "socket",
                    "rt",
                    "hbh",
                    "dst",
                    "mh",
                    "eui64",
                    "policy",
                    "ipvs");

    /** Modules that one IP version has, with it. */
    static final Map<String, Integer> OF_VERSION =
            Map.ofEntries(
                    Map.entry("icmp", 4),
                    Map.entry("ttl", 4),
                    Map.entry("realm", 4),
                    Map.entry("icmp6", 6),
                    Map.entry("hl", 6),
                    Map.entry("frag", 6),
                    Map.entry("rt", 6),
                    Map.entry("hbh", 6),
                    Map.entry("dst", 6),
                    Map.entry("mh", 6),
                    Map.entry("ipv6header", 6),
                    Map.entry("eui64", 6));

    /** Options of which a match has one: they stand for the same thing. */
    static final Map<String, String> ALIKE =
            Map.ofEntries(
                    Map.entry("--syn", "--tcp-flags"),
                    Map.entry("--sports", "--ports"),
                    Map.entry("--dports", "--ports"),
                    Map.entry("--ttl-eq", "--ttl"),
                    Map.entry("--ttl-lt", "--ttl"),
                    Map.entry("--ttl-gt", "--ttl"),
                    Map.entry("--hl-lt", "--hl-eq"),
                    Map.entry("--hl-gt", "--hl-eq"),
                    Map.entry("--set", "--rcheck"),
                    Map.entry("--update", "--rcheck"),
                    Map.entry("--remove", "--rcheck"),
                    Map.entry("--fragmore", "--fraglast"),
                    Map.entry("--dscp-class", "--dscp"),
                    Map.entry("--limit-iface-out", "--limit-iface-in"));

    /** Options that cannot be negated. */
    static final Set<String> PLAIN =
            Set.of(
                    "--ttl-lt",
                    "--ttl-gt",
                    "--hl-lt",
                    "--hl-gt",
                    "--fragres",
                    "--fragfirst",
                    "--fragmore",
                    "--fraglast",
                    "--limit",
                    "--limit-burst",
                    "--connlimit-mask",
                    "--connlimit-saddr",
                    "--connlimit-daddr",
                    "--seconds",
                    "--hitcount",
                    "--rttl",
                    "--reap",
                    "--rsource",
                    "--rdest",
                    "--mask",
                    "--name",
                    "--hbh-opts",
                    "--dst-opts",
                    "--soft",
                    "--algo",
                    "--icase",
                    "--from",
                    "--to",
                    "--ctdir",
                    "--loose",
                    "--validmark",
                    "--accept-local",
                    "--invert",
                    "--packet",
                    "--timestart",
                    "--timestop",
                    "--datestart",
                    "--datestop",
                    "--contiguous",
                    "--utc",
                    "--kerneltz",
                    "--limit-iface-in",
                    "--limit-iface-out",
                    "--comment");

    /** Options of understood modules that nobody can see in a header, with their arguments. */
    static final Map<String, Map<String, Integer>> UNSEEN =
            table(
                    "conntrack: --ctproto= --ctorigsrc= --ctorigdst= --ctreplsrc= --ctrepldst="
                            + " --ctorigsrcport= --ctorigdstport= --ctreplsrcport= --ctrepldstport="
                            + " --ctstatus= --ctexpire= --ctdir=",
                    "tcp: --tcp-option=",
                    "sctp: --chunk-types==",
                    "dccp: --dccp-types= --dccp-option=",
                    "frag: --fraglen= --fragres",
                    "set: --return-nomatch --update-counters --update-subcounters --packets-eq= --packets-lt="
                            + " --packets-gt= --bytes-eq= --bytes-lt= --bytes-gt=");

    /** Targets that change what a module looks at. */
    static final Map<String, Set<String>> CHANGING =
            Map.of(
                    "dscp", Set.of("TOS", "DSCP"),
                    "tos", Set.of("TOS", "DSCP"),
                    "ecn", Set.of("TOS", "ECN"),
                    "ttl", Set.of("TTL"),
                    "hl", Set.of("HL"));

    /** Spellings of options. */
    static final Map<String, String> SAME =
            Map.of(
                    "--source-port", "--sport",
                    "--destination-port", "--dport",
                    "--source-ports", "--sports",
                    "--destination-ports", "--dports",
                    "--port", "--ports",
                    "--ttl", "--ttl-eq",
                    "--hl", "--hl-eq");

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

    /** The options of a module, understood or not. */
    static Set<String> options(String module) {
        Set<String> options = new HashSet<>(KNOWN.getOrDefault(module, Set.of()));
        options.addAll(UNSEEN.getOrDefault(module, Map.of()).keySet());
        options.addAll(UNKNOWN.getOrDefault(module, Map.of()).keySet());
        return options;
    }

    /** The names of all targets. */
    static Stream<String> targets() {
        return Stream.of(CONTINUING, OTHER).flatMap(of -> of.keySet().stream());
    }

    /** The options of a target; null: it is unknown. */
    static @Nullable Map<String, Integer> target(String name) {
        Map<String, Integer> options = CONTINUING.get(name);
        return options == null ? OTHER.get(name) : options;
    }
}
