package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.RuleFinding.Reach;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Findings about rules whose packets are of other states, have marks, or are noted in sets. */
class LintReportTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # marks of packets
                    *mangle;:PREROUTING ACCEPT;-A PREROUTING -m mark --mark 0x1 -j DROP;-A PREROUTING -s 10.0.0.0/8 -j MARK --set-mark 0x2|4|
                    *mangle;:PREROUTING ACCEPT;-A PREROUTING -j MARK --set-mark 0x2;-A PREROUTING -m mark --mark 0x2 -j DROP;-A PREROUTING -s 10.0.0.0/8 -j ACCEPT|5|dead by 4
                    # states of connections
                    *filter;:INPUT DROP;:EST -;-A INPUT -m state --state RELATED,ESTABLISHED -j EST;-A EST -p tcp -j ACCEPT|5|
                    *filter;:INPUT ACCEPT;-A INPUT -p udp -m state --state NEW -j DROP;-A INPUT -p udp -j ACCEPT|4|redundant by 2
                    *filter;:INPUT DROP;-A INPUT -p udp -m state --state NEW -j DROP;-A INPUT -p udp -j ACCEPT|4|
                    *filter;:INPUT DROP;-A INPUT -p udp --dport 53 -j ACCEPT;-A INPUT -m state --state NEW -j ACCEPT|3|
                    *filter;:INPUT ACCEPT;-A INPUT -m state --state NEW,INVALID -j DROP|2|
                    # later fragments, whose ports nobody knows
                    *filter;:INPUT DROP;-A INPUT -m state --state ESTABLISHED -j ACCEPT;-A INPUT -p tcp --dport 22 -j DROP;-A INPUT -p tcp --dport 23 -j ACCEPT|5|
                    *filter;:INPUT DROP;-A INPUT -m state --state ESTABLISHED -j ACCEPT;-A INPUT -p tcp --dport 22:23 -j DROP;-A INPUT -p tcp --dport 23:24 -j ACCEPT|5|conflict
                    *raw;:PREROUTING ACCEPT;-A PREROUTING -p udp -j NOTRACK;COMMIT;*filter;:INPUT DROP;-A INPUT -p udp -m state --state UNTRACKED -j ACCEPT|7|
                    # chains that packets come to again
                    *filter;:INPUT DROP;:C -;-A INPUT -s 10.0.0.0/8 -j C;-A INPUT -s 10.1.0.0/16 -j C;-A C -p tcp -j ACCEPT;-A C -p udp -j LOG|5|
                    *filter;:INPUT DROP;:C -;-A INPUT -s 10.0.0.0/8 -j C;-A INPUT -p tcp --dport 22 -j DROP;-A INPUT -s 10.1.0.0/16 -j C;-A C -p tcp -m limit --limit 1/s -j ACCEPT|5|conflict
                    *filter;:INPUT DROP;:C -;-A INPUT -s 10.0.0.0/8 -j C;-A INPUT -p tcp --dport 22 -j DROP;-A INPUT -s 10.1.0.0/16 -j C;-A C -p tcp -j ACCEPT|5|redundant by 2; conflict
                    *filter;:INPUT DROP;:A -;:C -;-A INPUT -j A;-A INPUT -s 10.1.0.0/16 -j C;-A INPUT -s 10.1.2.0/24 -p tcp -j DROP;-A A -s 10.1.0.0/16 -j RETURN;-A A -s 10.0.0.0/8 -j C;-A C -p tcp -j ACCEPT|7|dead by 10
                    # rules that note packets
                    *filter;:INPUT ACCEPT;-A INPUT -p tcp -m recent --name ssh --set -j ACCEPT;-A INPUT -p udp -j DROP|3|
                    *filter;:INPUT ACCEPT;-A INPUT -p tcp -m recent --name ssh --rcheck -j ACCEPT;-A INPUT -p udp -j DROP|3|redundant by 2
                    table ip f {;chain c {;type filter hook input priority 0;tcp dport 22 accept;udp dport 1 drop;};}|4|redundant by 3
                    table ip f {;set s { type ipv4_addr; flags dynamic; };chain c {;type filter hook input priority 0;tcp dport 22 add @s { ip saddr } accept;udp dport 1 drop;};}|7|
                    *mangle;:PREROUTING ACCEPT;-A PREROUTING -s 10.0.0.1 -j ACCEPT;-A PREROUTING -s 10.0.0.0/8 -j MARK --set-mark 1;-A PREROUTING -s 1.1.1.1 -j DROP;COMMIT;*filter;:INPUT ACCEPT;-A INPUT -m mark --mark 1 -j DROP|3|
                    *mangle;:PREROUTING ACCEPT;-A PREROUTING -s 10.0.0.1 -j ACCEPT;-A PREROUTING -s 10.0.0.0/8 -j MARK --set-mark 1;-A PREROUTING -s 1.1.1.1 -j DROP;COMMIT;*filter;:INPUT ACCEPT;-A INPUT -p tcp -j DROP|3|redundant by 2
                    """)
    void lineHasFinding(String rules, int line, String expected) throws IOException {
        String end = rules.startsWith("*") ? ";COMMIT" : "";
        List<String> lines = List.of((rules + end).split(";"));
        LintReport report = report(Files.write(folder.resolve("rules.save"), lines));
        String found =
                report.rules().stream()
                        .filter(rule -> rule.line().number() == line)
                        .flatMap(rule -> rule.kinds().stream().map(kind -> words(rule, kind)))
                        .collect(Collectors.joining("; "));
        assertEquals(expected == null ? "" : expected, found, report.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "in_port=3",
                "dl_src=e0:ed:98:1b:5d:38",
                "dl_dst=e0:ed:98:1b:5d:38",
                "dl_src=e0:ed:98:00:00:00/ff:ff:ff:00:00:00,dl_dst=00:00:00:1b:5d:38/00:00:00:ff:ff:ff",
                "dl_vlan=5,dl_vlan_pcp=1",
                "arp,arp_op=1,arp_spa=10.0.0.1",
                "ip,nw_tos=32,nw_ttl=9",
                "ip,nw_src=10.0.3.0/255.0.255.0",
                "ip,nw_frag=later",
                "tcp6,ipv6_dst=2001:db8::7,tp_src=67,tcp_flags=+syn-ack",
                "tun_id=7",
                "pkt_mark=8/12"
            })
    void ruleAloneIsLive(String conditions) throws IOException {
        String rule = "priority=9,%s actions=output:1\n".formatted(conditions);
        LintReport report = report(Files.writeString(folder.resolve("flows.ovs"), rule));
        assertEquals(Reach.LIVE, report.rules().get(0).reach(), report.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "table ip f { chain c { type filter hook input priority 0; policy drop;~tcp dport 22 accept~}~}|1 ipv6-open",
                "table inet f { chain c { type filter hook input priority 0; policy drop;~tcp dport 22 accept~}~}|",
                "table inet f { chain c { type filter hook input priority 0; policy accept;~meta nfproto ipv4 drop~}~}|2 ipv6-open",
                "table inet f { chain c { type filter hook input priority 0; policy accept;~ip saddr 10.0.0.1 drop~}~}|",
                "table ip f { chain c { type filter hook input priority 0; policy drop;~}~}~table ip6 f { chain c { type filter hook input priority 0;~drop~}~}|",
                "table inet f { chain c { type filter hook input priority 0; policy drop;~accept~tcp dport 1 drop~}~}|2 any-any",
                "table inet f { chain c { type filter hook input priority 0; policy drop;~tcp dport 1 accept~drop~}~}|",
                "hostname r~ip access-list extended E~ permit tcp any any eq 22~ deny ip any any log~interface e1~ ip access-group E in|",
                "hostname r~ip access-list extended E~ deny ip any any log~ permit tcp any any eq 22~interface e1~ ip access-group E in|3 any-any",
                "*filter~:INPUT DROP~-A INPUT -p tcp -s 10.0.0.0/0.0.0.255 -j ACCEPT~COMMIT|3 wildcard-mask",
                "*filter~:INPUT DROP~-A INPUT -p tcp -s 0.0.0.1/0.0.0.1 -j ACCEPT~-A INPUT -p udp -d 10.0.0.0/255.0.255.0 -j ACCEPT~COMMIT|",
                "priority=9,ip,nw_dst=10.2.0.0/0.0.255.255 actions=drop~priority=8,actions=output:1~priority=7,ip actions=drop|1 wildcard-mask; 2 any-any",
                "create a hash:ip~create b hash:net~create c hash:net~create six hash:net family inet6~create l list:set~add l c~*filter~:INPUT ACCEPT~-A INPUT -m set --match-set a src -j DROP~COMMIT|2 unused-object",
                "table inet f {~set a { type ipv4_addr; }~set b { type ipv4_addr; }~set c { type ipv4_addr; flags dynamic; }~map m { type inet_service : verdict; }~chain c { type filter hook input priority 0; policy drop;~ip saddr @a accept~add @c { ip saddr }~tcp dport vmap @m~}~}|3 unused-object",
                "table inet f {~counter a { packets 0 bytes 0; }~counter b { packets 0 bytes 0; }~quota a { 1 mbytes; }~limit l { rate 1/second; }~counter m { packets 0 bytes 0; }~map o { type ipv4_addr : counter; elements = { 10.0.0.1 : \"m\" }; }~chain c { type filter hook input priority 0; policy drop;~counter name a counter name ip saddr map @o accept~}~}|3 unused-object; 5 unused-object"
            })
    void trapIsFoundWhereItStands(String rules, String expected) throws IOException {
        LintReport report = report(Files.write(folder.resolve("rules"), List.of(rules.split("~"))));
        Set<Kind> traps = EnumSet.of(Kind.ANY_ANY, Kind.WILDCARD_MASK, Kind.IPV6_OPEN);
        List<String> found = new ArrayList<>();
        for (LintRule rule : report.rules()) {
            rule.kinds().stream()
                    .filter(traps::contains)
                    .forEach(kind -> found.add(rule.line().label() + " " + kind.label()));
        }
        report.unusedObjects().forEach(line -> found.add(line.label() + " unused-object"));
        assertEquals(expected == null ? "" : expected, String.join("; ", found));
    }

    /** A user can remove objects and their rules alone. */
    @Test
    void whatKubernetesAddsToPoliciesIsNoFinding() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        """
                        apiVersion: v1
                        kind: Namespace
                        metadata: {name: shop}
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: web, namespace: shop, labels: {app: web}}
                        spec: {nodeName: a, containers: [{name: web}]}
                        status: {phase: Running, podIP: 10.244.1.10, hostIP: 192.0.2.1, podIPs: [{ip: 10.244.1.10}]}
                        ---
                        apiVersion: networking.k8s.io/v1
                        kind: NetworkPolicy
                        metadata: {name: default-deny, namespace: shop}
                        spec: {podSelector: {}, policyTypes: [Ingress]}
                        ---
                        apiVersion: networking.k8s.io/v1
                        kind: NetworkPolicy
                        metadata: {name: web, namespace: shop}
                        spec:
                          podSelector: {matchLabels: {app: web}}
                          ingress:
                          - ports: [{port: 443}]
                          - ports: [{port: 443}]
                        """);
        LintReport report = report(file);
        List<String> found =
                report.rules().stream()
                        .flatMap(
                                rule ->
                                        rule.kinds().stream()
                                                .map(
                                                        kind ->
                                                                rule.line().number()
                                                                        + " "
                                                                        + words(rule, kind)))
                        .toList();
        assertEquals(List.of("22 redundant by 23", "23 dead by 22"), found, report.toString());
    }

    static LintReport report(Path file) {
        try (OpenRules text = OpenRules.open(file, null)) {
            return LintReport.of(text, SwitchPorts.NONE, PolicyOptions.NONE, "drop");
        }
    }

    private static String words(LintRule rule, Kind kind) {
        List<Line> by =
                switch (kind) {
                    case DEAD, SHADOWED_DEFAULT -> rule.covering();
                    case REDUNDANT -> rule.behind();
                    default -> List.of();
                };
        return kind.label()
                + (by.isEmpty() ? "" : " by ")
                + by.stream().map(Line::label).collect(Collectors.joining(","));
    }
}
