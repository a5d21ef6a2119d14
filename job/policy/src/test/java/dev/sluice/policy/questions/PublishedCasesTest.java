package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.questions.LintRule.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Questions that Batfish's notebooks about filters ask (pybatfish, jupyter_notebooks), as rules of
 * iptables, with the answers that they print.
 */
class PublishedCasesTest {
    private static final List<String> BEFORE =
            List.of(
                    "-p icmp --icmp-type redirect -j DROP",
                    "-s 117.186.185.0/24 -d 117.186.185.0/24 -p udp --sport 49152:65535 --dport 3784 -j ACCEPT",
                    "-s 117.186.185.0/24 -d 117.186.185.0/24 -p udp --sport 49152:65535 --dport 3785 -j ACCEPT",
                    "-s 205.248.59.64 -d 205.248.59.67 -p tcp --dport 179 -j ACCEPT",
                    "-s 205.248.58.190 -d 205.248.58.188 -p tcp --dport 179 -j ACCEPT",
                    "-s 54.0.0.0/8 -j DROP",
                    "-s 166.144.0.0/12 -j DROP",
                    "-s 166.146.58.184 -j ACCEPT",
                    "-s 218.66.57.0/24 -j DROP",
                    "-s 218.66.56.0/24 -j DROP",
                    "-s 218.67.71.0/24 -j DROP",
                    "-s 218.67.72.0/24 -j DROP",
                    "-s 54.203.159.1 -j DROP",
                    "-s 218.8.104.0/25 -j ACCEPT",
                    "-s 218.8.104.128/25 -j ACCEPT",
                    "-d 11.125.89.32/30 -j DROP",
                    "-d 11.125.89.36/30 -j DROP",
                    "-d 11.125.89.40/30 -j DROP",
                    "-d 11.125.89.44/30 -j DROP",
                    "-p icmp --icmp-type echo-reply -j ACCEPT",
                    "-d 11.36.199.216/30 -j DROP",
                    "-p tcp -j DROP",
                    "-j DROP");

    /** The same list, shortened by hand: 218.67.71.0/23 begins at 218.67.70.0. */
    private static final List<String> SHORTENED =
            List.of(
                    "-p icmp --icmp-type redirect -j DROP",
                    "-s 117.186.185.0/24 -d 117.186.185.0/24 -p udp --sport 49152:65535 --dport 3784:3785 -j ACCEPT",
                    "-s 205.248.59.64 -d 205.248.59.67 -p tcp --dport 179 -j ACCEPT",
                    "-s 54.0.0.0/8 -j DROP",
                    "-s 166.144.0.0/12 -j DROP",
                    "-s 218.66.56.0/23 -j DROP",
                    "-s 218.67.71.0/23 -j DROP",
                    "-s 218.8.104.0/24 -j ACCEPT",
                    "-d 11.125.89.32/28 -j DROP",
                    "-p icmp --icmp-type echo-reply -j ACCEPT",
                    "-j DROP");

    private static final String LOST_HOST =
            "-s 10.10.10.42 -d 218.8.104.58 -p udp --dport 53 -j DROP";
    private static final String NAMES =
            "-s 10.10.10.0/24 -d 218.8.104.58 -p udp --dport 53 -j ACCEPT";

    @TempDir Path folder;

    @Test
    void linesThatNothingReachesAreThoseOfFilterLineReachability() throws IOException {
        List<String> dead = new ArrayList<>();
        for (LintRule rule : LintReportTest.report(file("old", BEFORE)).rules()) {
            if (rule.kinds().contains(Kind.DEAD)) {
                dead.add(rule.line().text() + " by " + rule.covering().get(0).text());
            }
        }
        assertEquals(
                List.of(
                        "-A FORWARD -s 166.146.58.184 -j ACCEPT by -A FORWARD -s 166.144.0.0/12 -j DROP",
                        "-A FORWARD -s 54.203.159.1 -j DROP by -A FORWARD -s 54.0.0.0/8 -j DROP"),
                dead.subList(0, 2));
    }

    /** The case of batfish/batfish, pull request 1310: no single line blocks. */
    @Test
    void lineThatTwoBlockNamesBoth() throws IOException {
        List<String> rules =
                List.of(
                        "-s 0.0.0.0/8 -j ACCEPT",
                        "-s 1.0.0.0/8 -j ACCEPT",
                        "-s 0.0.0.0/7 -j ACCEPT");
        LintRule third =
                LintReportTest.report(file("old", rules)).rules().stream()
                        .filter(rule -> rule.line().number() == 5)
                        .findFirst()
                        .orElseThrow();
        assertTrue(third.kinds().contains(Kind.DEAD), third.toString());
        assertEquals(List.of(3, 4), third.covering().stream().map(by -> by.number()).toList());
    }

    @Test
    void pairsOfLinesAreThoseOfCompareFilters() throws IOException {
        List<String> pairs =
                diff(BEFORE, SHORTENED).pairs().stream()
                        .map(
                                pair ->
                                        "%s: %s %s"
                                                .formatted(
                                                        pair.newOutcome(),
                                                        pair.oldLine().text(),
                                                        pair.newLine().text())
                                                .replace("-A FORWARD ", ""))
                        .sorted()
                        .toList();
        assertEquals(
                List.of(
                        "deny: -p icmp --icmp-type echo-reply -j ACCEPT -s 218.67.71.0/23 -j DROP",
                        "deny: -s 205.248.58.190 -d 205.248.58.188 -p tcp --dport 179 -j ACCEPT -j DROP",
                        "permit: -s 218.67.72.0/24 -j DROP -p icmp --icmp-type echo-reply -j ACCEPT"),
                pairs);
    }

    @Test
    void hostThatSearchFiltersFindsIsTheOnlyDifference() throws IOException {
        List<String> now = List.of(LOST_HOST, "-s 118.0.0.0/8 -j DROP", NAMES);
        List<String> wanted = new ArrayList<>(now);
        wanted.add(0, NAMES);
        SemanticDiff diff = diff(now, wanted);
        assertEquals(1, diff.total());
        DiffPair pair = diff.pairs().get(0);
        assertEquals("-A FORWARD " + LOST_HOST, pair.oldLine().text());
        assertEquals("udp from 10.10.10.42 to 218.8.104.58 port 53", pair.where());
    }

    @Test
    void changePermitsWhatIsIntendedAndNothingElse() throws IOException {
        List<String> now = List.of(LOST_HOST, NAMES, "-p tcp -j DROP", "-j DROP");
        List<String> intended = with(now, change("18.18.18.0/27", "80,8080"));
        List<String> first =
                with(now, change("18.18.18.0/26", "80"), change("18.18.18.0/27", "8080"));
        List<String> second =
                with(now, change("18.18.18.0/27", "80"), change("18.18.18.0/27", "8080"));
        SemanticDiff permitted = diff(now, intended);
        assertTrue(permitted.mayPermit() && !permitted.mayDeny(), permitted.toString());
        assertEquals("tcp from 10.10.10.0/24 to 18.18.18.0/27", words(permitted));
        SemanticDiff more = diff(intended, first);
        assertEquals(1, more.total());
        assertEquals("tcp from 10.10.10.0/24 to 18.18.18.32/27 port 80", words(more));
        assertEquals("permit", more.pairs().get(0).newOutcome());
        assertTrue(diff(intended, second).isEmpty());
    }

    private static String words(SemanticDiff diff) {
        return diff.pairs().get(0).where().replaceAll(" port 80-8080$", "");
    }

    private static String change(String to, String ports) {
        return "-s 10.10.10.0/24 -d %s -p tcp -m multiport --dports %s -j ACCEPT"
                .formatted(to, ports);
    }

    private static List<String> with(List<String> rules, String... changes) {
        List<String> all = new ArrayList<>(List.of(changes));
        all.addAll(rules);
        return all;
    }

    private SemanticDiff diff(List<String> old, List<String> fresh) throws IOException {
        return SemanticDiffTest.diff(file("old", old), file("new", fresh), PolicyOptions.NONE);
    }

    private Path file(String name, List<String> rules) throws IOException {
        List<String> lines = new ArrayList<>(List.of("*filter", ":FORWARD DROP [0:0]"));
        rules.forEach(rule -> lines.add("-A FORWARD " + rule));
        lines.add("COMMIT");
        return Files.write(folder.resolve(name + ".save"), lines);
    }
}
