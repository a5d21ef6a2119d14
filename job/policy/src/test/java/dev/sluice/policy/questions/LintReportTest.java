package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.questions.LintRule.Kind;
import dev.sluice.policy.questions.LintRule.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                    *raw;:PREROUTING ACCEPT;-A PREROUTING -p udp -j NOTRACK;COMMIT;*filter;:INPUT DROP;-A INPUT -p udp -m state --state UNTRACKED -j ACCEPT|7|
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
        Path file = Files.write(folder.resolve("rules.save"), lines);
        try (OpenRules text = OpenRules.open(file, null)) {
            LintReport report = LintReport.of(text, SwitchPorts.NONE, PolicyOptions.NONE, "drop");
            String found =
                    report.rules().stream()
                            .filter(rule -> rule.line().number() == line)
                            .flatMap(rule -> rule.kinds().stream().map(kind -> words(rule, kind)))
                            .collect(Collectors.joining("; "));
            assertEquals(expected == null ? "" : expected, found, report.toString());
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
