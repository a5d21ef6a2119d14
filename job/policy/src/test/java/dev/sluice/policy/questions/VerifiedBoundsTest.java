package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rule sets between bounds that Iptables_Semantics proved: packets that the lower bound permits are
 * permitted, and packets that the upper bound denies are denied. Each question is asked of all
 * headers: the rule set must not differ from itself behind a chain that permits or denies them.
 */
class VerifiedBoundsTest {
    /** Part of the theorem about new packets; MAC addresses that are unreadable may be any. */
    private static final PolicyOptions NEW =
            new PolicyOptions(null, new Assumptions(ConnectionState.NEW, null, null), true);

    private static final Pattern LARGE = Pattern.compile("TUM_Net/.*|.*akachan");
    private static final Pattern VERDICT =
            Pattern.compile("(?:-j |^:(?:INPUT|FORWARD) )(ACCEPT|DROP)");

    /** Bounds that permit each packet, or none. */
    private static final Set<String> TRIVIAL =
            Set.of(
                    "config_home_user/typical_home_user_iptables-save#FORWARD lower",
                    "configs_sqrl_shorewall/2015_aug_iptables-save-spoofing-protection#FORWARD lower",
                    "configs_sqrl_shorewall/2015_aug_iptables-save-spoofing-protection#FORWARD upper",
                    "configs_sqrl_shorewall/2015_aug_iptables-save-spoofing-protection#INPUT upper",
                    "linux.gda.pl/firewallp.txt#FORWARD upper",
                    "openwrt.org/iptables-save-AA.txt_fixed_newline#FORWARD lower",
                    "pastebin.com_bbWXHaTn/iptables-save#FORWARD lower",
                    "pastebin.com_bbWXHaTn/iptables-save#FORWARD upper");

    @TempDir Path folder;

    /**
     * A hook of a rule set, and its bounds.
     *
     * @param interfaces the sources of packets of each interface, which the bounds assume
     * @param apart whether packets of other interfaces have none of these sources
     */
    private record Bounded(
            String rules, String hook, String bounds, String interfaces, boolean apart) {
        @Override
        public String toString() {
            return rules + "#" + hook;
        }
    }

    private static Stream<Bounded> all() throws IOException {
        return Files.readAllLines(TestData.inCheckout("test-data/iptables/bounds.tsv")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .map(
                        cells ->
                                new Bounded(
                                        cells[0], cells[1], cells[2], cells[3], cells.length > 4));
    }

    static Stream<Bounded> small() throws IOException {
        return all().filter(of -> !LARGE.matcher(of.rules).matches());
    }

    static Stream<Bounded> large() throws IOException {
        return all().filter(of -> LARGE.matcher(of.rules).matches());
    }

    @ParameterizedTest
    @MethodSource("small")
    void smallPoliciesLieBetweenTheirBounds(Bounded of) throws IOException {
        assertBetween(of);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("large")
    void largePoliciesLieBetweenTheirBounds(Bounded of) throws IOException {
        assertBetween(of);
    }

    private void assertBetween(Bounded of) throws IOException {
        List<String> rules = filter(of.rules);
        assertEquals("", beyond(of, rules, true), "the lower bound permits");
        assertEquals("", beyond(of, rules, false), "the upper bound denies");
    }

    /** Bounds that permit all packets, or none, are true of each policy; the others are not. */
    @Test
    void boundsTellPoliciesThatPermitNothingOrAll() throws IOException {
        Set<String> trivial = new TreeSet<>();
        for (Bounded of : small().toList()) {
            for (boolean lower : new boolean[] {true, false}) {
                List<String> wrong =
                        with(
                                filter(of.rules),
                                List.of(
                                        "-A %s -j %s"
                                                .formatted(of.hook, lower ? "DROP" : "ACCEPT")));
                if (beyond(of, wrong, lower).isEmpty()) {
                    trivial.add(of + (lower ? " lower" : " upper"));
                }
            }
        }
        assertEquals(TRIVIAL, trivial);
    }

    /** Flips the verdicts of small policies one at a time: a rule or the hook's policy. */
    @Test
    void boundsTellFlippedVerdicts() throws IOException {
        int told = 0;
        int flips = 0;
        for (Bounded of : small().toList()) {
            List<String> rules = filter(of.rules);
            for (int i = 0; i < rules.size() && rules.size() < 60; i++) {
                Matcher verdict = VERDICT.matcher(rules.get(i));
                if (verdict.find()) {
                    boolean permits = verdict.group(1).equals("ACCEPT");
                    List<String> flipped = new ArrayList<>(rules);
                    flipped.set(
                            i,
                            rules.get(i).substring(0, verdict.start(1))
                                    + (permits ? "DROP" : "ACCEPT")
                                    + rules.get(i).substring(verdict.end(1)));
                    flips++;
                    told += beyond(of, flipped, permits).isEmpty() ? 0 : 1;
                }
            }
        }
        assertTrue(told > 50, told + " of " + flips);
    }

    /** The packets in words of a first pair that a bound and a rule set deem otherwise. */
    private String beyond(Bounded of, List<String> rules, boolean lower) throws IOException {
        List<String> bounded = told(of);
        bounded.add(":bound - [0:0]");
        bounded.add("-A %s -j bound".formatted(of.hook));
        bounded.addAll(bound(of, lower));
        SemanticDiff diff =
                SemanticDiffTest.diff(
                        write(of, "rules", with(rules, told(of))),
                        write(of, "bounded", with(rules, bounded)),
                        NEW);
        assertEquals(0, diff.givenUp());
        return diff.pairs().stream().findFirst().map(DiffPair::where).orElse("");
    }

    /** Filter table of a rule set, in the words of iptables today. */
    private static List<String> filter(String name) throws IOException {
        List<String> filter = new ArrayList<>();
        boolean in = false;
        for (String line : lines(name)) {
            in |= line.startsWith("*filter");
            if (in) {
                filter.add(line.replaceAll("(-[sd]) ! ", "! $1 ").replace("--days", "--weekdays"));
            }
            in &= !line.startsWith("COMMIT");
        }
        return filter;
    }

    /** The table with rules in front of its own. */
    private static List<String> with(List<String> table, List<String> rules) {
        List<String> all = new ArrayList<>(table);
        int at = 0;
        while (!all.get(at).matches("(-A|COMMIT).*")) {
            at++;
        }
        all.addAll(at, rules);
        return all;
    }

    /**
     * Rules that leave packets of new connections with usual sources alone, as the bounds assume.
     */
    private static List<String> told(Bounded of) {
        List<String> told = new ArrayList<>();
        told.add(":told - [0:0]");
        told.add("-A %s -m state --state INVALID -j DROP".formatted(of.hook));
        told.add("-A %s -p tcp -m tcp ! --syn -j DROP".formatted(of.hook));
        told.add("-A %s -j told".formatted(of.hook));
        List<String> taken = new ArrayList<>(); // sources that packets of others cannot have
        for (String one : of.interfaces.split(" ")) {
            String name = one.substring(0, one.indexOf('='));
            String sources = one.substring(name.length() + 1);
            boolean others = sources.startsWith("!");
            for (String source : sources.substring(others ? 1 : 0).split(",")) {
                told.add(
                        "-A told -i %s -s %s -j %s"
                                .formatted(name, source, others ? "DROP" : "RETURN"));
                taken.add("-A told -s %s -j DROP".formatted(others ? "0.0.0.0/0" : source));
            }
            told.add("-A told -i %s -j %s".formatted(name, others ? "RETURN" : "DROP"));
        }
        if (of.apart) {
            told.addAll(taken);
        }
        return told;
    }

    /**
     * Rules of a chain that decides about what a bound excludes: of a lower bound the packets that
     * it permits, of an upper one those that it denies.
     */
    private static List<String> bound(Bounded of, boolean lower) throws IOException {
        List<String> rules = new ArrayList<>();
        boolean in = false;
        for (String line : lines(of.bounds + (lower ? ".lower" : ".upper"))) {
            if (line.startsWith("Chain ")) {
                in = line.startsWith("Chain " + of.hook);
            } else if (in && !line.startsWith("target") && !line.isBlank()) {
                String[] cells = line.trim().split(" +");
                StringBuilder rule = new StringBuilder("-A bound");
                rule.append(" -s ").append(cells[3]).append(" -d ").append(cells[4]);
                if (!cells[1].equals("all")) {
                    rule.append(" -p ").append(cells[1]);
                }
                for (int i = 6; i < cells.length; i++) {
                    String[] ports = cells[i].split("pts?:");
                    rule.append(" --").append(ports[0]).append("port ").append(ports[1]);
                }
                boolean decides = cells[0].equals("ACCEPT") == lower;
                rules.add(rule + " -j " + (decides ? cells[0] : "RETURN"));
            }
        }
        return rules;
    }

    private Path write(Bounded of, String name, List<String> lines) throws IOException {
        Path file = Files.write(folder.resolve(name + ".save"), lines);
        return Path.of(file + "#" + of.hook);
    }

    private static List<String> lines(String name) throws IOException {
        Path bounds = TestData.inCheckout("test-data/iptables/bounds.zip");
        try (ZipFile zip = new ZipFile(bounds.toFile())) {
            byte[] text = zip.getInputStream(zip.getEntry(name)).readAllBytes();
            return new String(text, StandardCharsets.UTF_8).lines().toList();
        }
    }
}
