package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of outcomes are those of two verdict files, laid side by side packet by packet. */
class WhatIfCommandTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
    private static final Path SERVER_RULES = TestData.inCheckout("test-data/firewall/server.save");
    private static final Path OFFICE = TestData.office("office.pcapng.gz");

    @TempDir Path folder;

    /** Counts of a row by the reference. */
    private static final class Row {
        private long packets;
        private long bytes;
        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;
        private String example = "";
        private boolean errors;
        private final Set<String> connections = new HashSet<>();

        @Override
        public String toString() {
            return "%d packets %d bytes %d connections %d..%d %s"
                    .formatted(packets, bytes, connections.size(), first, last, example);
        }
    }

    /** Rows of a table with a line of names. */
    private static List<Map<String, String>> table(String text) {
        List<String> lines = text.lines().toList();
        List<String> names = List.of(lines.get(0).split("\t", -1));
        List<Map<String, String>> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split("\t", -1);
            assertEquals(names.size(), cells.length, line);
            Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < cells.length; i++) {
                row.put(names.get(i), cells[i]);
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<Object> with(List<Object> words, Object... more) {
        return Stream.concat(words.stream(), Stream.of(more)).toList();
    }

    private static List<Map<String, String>> verdicts(
            List<Object> captures, Object rules, Object... options) {
        List<Object> words = new ArrayList<>(List.of("classify"));
        words.addAll(captures);
        words.addAll(List.of("--rules", rules, "--fields", "5-tuple,frame-length"));
        words.addAll(List.of(options));
        return table(Sluice.ok(words.toArray()).out());
    }

    private static String outcome(Map<String, String> verdict) {
        String action = verdict.get("action");
        return verdict.containsKey("outcome")
                ? verdict.get("outcome")
                : switch (action) {
                    case "drop" -> "deny";
                    case "NORMAL" -> "permit";
                    default -> action;
                };
    }

    private static String line(Map<String, String> verdict) {
        return verdict.get("rule").isEmpty() ? "default" : verdict.get("rule");
    }

    private static Map<String, Row> expected(
            List<Map<String, String>> before, List<Map<String, String>> after) {
        Map<String, Row> rows = new TreeMap<>();
        for (int i = 0; i < before.size(); i++) {
            Map<String, String> old = before.get(i);
            Map<String, String> fresh = after.get(i);
            assertEquals(old.get("packet"), fresh.get("packet"));
            if (!old.get("status").equals("classified") || outcome(old).equals(outcome(fresh))) {
                continue;
            }
            String key =
                    String.join(
                            " ",
                            outcome(old),
                            line(old),
                            outcome(fresh),
                            line(fresh),
                            old.get("ip_src"),
                            old.get("ip_dst"));
            Row row = rows.computeIfAbsent(key, absent -> new Row());
            row.packets++;
            row.bytes += Long.parseLong(old.get("frame_length"));
            row.first = Math.min(row.first, Long.parseLong(old.get("time_ns")));
            row.last = Math.max(row.last, Long.parseLong(old.get("time_ns")));
            if (row.example.isEmpty()) {
                row.example = old.get("capture") + "#" + old.get("packet");
            }
            row.errors |= isError(old);
            if (!old.get("ip_src").isEmpty()) {
                row.connections.add(connection(old));
            }
        }
        return rows;
    }

    /** Returns whether a packet is an error of ICMP, which belongs to another connection. */
    private static boolean isError(Map<String, String> packet) {
        String protocol = packet.get("ip_proto");
        String type = packet.get("src_port");
        return protocol.equals("1") && Set.of("3", "4", "5", "11", "12").contains(type)
                || protocol.equals("58") && Set.of("1", "2", "3", "4").contains(type);
    }

    private static String connection(Map<String, String> packet) {
        boolean icmp = Set.of("1", "58").contains(packet.get("ip_proto"));
        List<String> ends =
                Stream.of("src", "dst")
                        .map(
                                end ->
                                        packet.get("ip_" + end)
                                                + " "
                                                + (icmp ? "" : packet.get(end + "_port")))
                        .sorted()
                        .toList();
        return ends + packet.get("ip_proto");
    }

    private static Map<String, Row> compare(
            List<Object> captures, Object old, Object fresh, Object... options) {
        List<Object> words = with(List.of("whatif"), captures.toArray());
        words = with(words, "--rules", old, "--rules", fresh, "--format", "tsv", "--all");
        words = with(words, "--unmet", 100_000);
        words = with(words, "--by", "rule,source,destination");
        Sluice run = Sluice.ok(with(words, options).toArray());
        Map<String, String> seen = new TreeMap<>();
        long most = Long.MAX_VALUE;
        Set<String> unmet = new TreeSet<>();
        for (Map<String, String> row : table(run.out())) {
            if (row.get("packets").equals("0")) {
                assertTrue(unmet.add(pair(row) + row.get("where")), run.out());
                continue;
            }
            assertEquals(Set.of(), unmet, "unmet pairs stand below the others");
            long packets = Long.parseLong(row.get("packets"));
            assertTrue(packets <= most, run.out());
            most = packets;
            String key =
                    String.join(
                            " ",
                            row.get("was"),
                            row.get("old line"),
                            row.get("is"),
                            row.get("new line"),
                            row.get("source"),
                            row.get("destination"));
            seen.put(
                    key,
                    "%d packets %s bytes %s connections %s..%s %s"
                            .formatted(
                                    packets,
                                    row.get("bytes"),
                                    row.get("connections"),
                                    row.get("first"),
                                    row.get("last"),
                                    row.get("example").replaceFirst(": .*", "")));
        }
        Map<String, Row> expected =
                expected(verdicts(captures, old, options), verdicts(captures, fresh, options));
        Map<String, String> told = new TreeMap<>();
        expected.forEach((key, row) -> told.put(key, row.toString()));
        assertEquals(told, seen);
        assertAllOfTheDifference(seen.keySet(), unmet, old, fresh, options);
        Set<String> all = new HashSet<>();
        expected.values().forEach(row -> all.addAll(row.connections));
        long packets = expected.values().stream().mapToLong(row -> row.packets).sum();
        String sum = "sluice: %,d of ".formatted(packets);
        assertTrue(run.err().contains(sum), run.err());
        if (expected.values().stream().noneMatch(row -> row.errors)) {
            String sums = " packets of %,d connection".formatted(all.size());
            assertTrue(run.err().contains(sums), run.err());
        }
        return expected;
    }

    private static String pair(Map<String, String> row) {
        return Stream.of("was", "old line", "is", "new line")
                .map(row::get)
                .collect(Collectors.joining(" ", "", " "));
    }

    /** Pairs that packets met and the other ones are those of the files, as diff lists them. */
    private static void assertAllOfTheDifference(
            Set<String> met, Set<String> unmet, Object old, Object fresh, Object... options) {
        List<Object> words = List.of("rules", "diff", "--semantic", old, fresh);
        words = with(words, "--top", 100_000, "--format", "tsv");
        if (!List.of(options).contains("linux")) {
            words = with(words, options);
        }
        Set<String> left = new TreeSet<>();
        List<Map<String, String>> all = table(Sluice.ok(words.toArray()).out());
        for (String key : met) {
            boolean isKnown = all.stream().anyMatch(row -> isOf(key.split(" "), row));
            boolean mayBeNone = key.contains("not-judged") || key.contains("depends");
            mayBeNone |= List.of(options).contains("linux"); // where states differ, too
            assertTrue(isKnown || mayBeNone, key + " is no difference");
        }
        for (Map<String, String> row : all) {
            String state =
                    row.get("state").isEmpty() ? "" : " (connection " + row.get("state") + ")";
            if (met.stream().noneMatch(key -> isOf(key.split(" "), row))) {
                left.add(pair(row) + row.get("packets") + state);
            }
        }
        assertEquals(left, unmet);
    }

    /** Returns whether packets that met a pair are, or may be, of a row. */
    private static boolean isOf(String[] key, Map<String, String> row) {
        boolean old = key[0].equals(row.get("was")) && key[1].equals(row.get("old line"));
        boolean fresh = key[2].equals(row.get("is")) && key[3].equals(row.get("new line"));
        return (old || key[0].equals("depends")) && (fresh || key[2].equals("depends"));
    }

    private Path edited(Path rules, String from, String to) throws IOException {
        String text = Files.readString(rules);
        assertTrue(text.contains(from), from);
        return Files.writeString(
                folder.resolve("new-" + rules.getFileName()), text.replace(from, to));
    }

    @ParameterizedTest
    @CsvSource({
        "--assume new, 20",
        "--assume established, 1",
        "--conntrack linux, 20",
        "--in-interface eth0, 20",
    })
    void aFirewallIsEdited(String options, int packets) throws IOException {
        Path fresh = edited(SERVER_RULES, "--dports 80,443 -j ACCEPT", "--dports 443 -j ACCEPT");
        Map<String, Row> rows =
                compare(
                        List.of(SERVER, SERVER),
                        SERVER_RULES + "#INPUT",
                        fresh + "#INPUT",
                        (Object[]) options.split(" "));
        long changed = rows.values().stream().mapToLong(row -> row.packets).sum();
        assertTrue(changed >= (packets == 1 ? 0 : packets), rows.toString());
    }

    /** Replies are permitted by a connection that one policy alone has let begin. */
    @Test
    void eachPolicyHasItsOwnConnections() throws IOException {
        Path old = TestData.office("office.save");
        Path fresh = edited(old, "--dports 22,80,5201", "--dports 22,5201");
        Map<String, Row> rows =
                compare(
                        List.of(OFFICE),
                        old + "#FORWARD",
                        fresh + "#FORWARD",
                        "--conntrack",
                        "linux");
        assertTrue(rows.keySet().stream().anyMatch(row -> row.startsWith("permit 7 ")), rows + "");
    }

    @Test
    void policiesOfDifferentFormatsAreCompared() {
        Map<String, Row> rows =
                compare(
                        List.of(SERVER, OFFICE),
                        SERVER_RULES + "#INPUT",
                        TestData.office("office.ovs"));
        assertTrue(rows.size() > 10, rows.toString());
        assertTrue(rows.keySet().stream().anyMatch(row -> row.startsWith("depends ")), rows + "");
    }

    @Test
    void aPolicyAgainstItselfChangesNothing() {
        Object rules = SERVER_RULES + "#INPUT";
        assertEquals(Map.of(), compare(List.of(SERVER), rules, rules));
    }

    @Test
    void randomPoliciesAndCaptures() throws IOException {
        Random random = TestSeed.random(188);
        for (int round = 0; round < 12; round++) {
            Path capture = RandomCapture.write(random, folder.resolve("random.pcap"));
            Object old = policy(random, "old");
            Object fresh = policy(random, "new");
            Object[] options =
                    switch (round % 3) {
                        case 0 -> new Object[] {"--conntrack", "linux"};
                        case 1 -> new Object[] {"--assume", "new"};
                        default -> new Object[0];
                    };
            compare(List.of(capture, capture), old, fresh, options);
        }
    }

    private Object policy(Random random, String name) throws IOException {
        if (random.nextInt(4) == 0) {
            StringBuilder flows = new StringBuilder();
            for (int i = 0; i < 6; i++) {
                flows.append(
                        "priority=%d,%s,nw_dst=10.0.0.%d actions=%s\n"
                                .formatted(
                                        random.nextInt(9),
                                        random.nextBoolean() ? "tcp" : "udp",
                                        random.nextInt(4),
                                        random.nextBoolean() ? "drop" : "NORMAL"));
            }
            return Files.writeString(folder.resolve(name + ".ovs"), flows);
        }
        StringBuilder rules =
                new StringBuilder("*filter\n:FORWARD %s [0:0]\n".formatted(target(random)));
        for (int i = 0; i < 6; i++) {
            String match =
                    switch (random.nextInt(4)) {
                        case 0 -> "-m conntrack --ctstate ESTABLISHED";
                        case 1 -> "-p tcp -m tcp --dport " + RandomCapture.port(random);
                        case 2 -> "-p icmp -m limit --limit 1/sec";
                        default -> "-s 10.0.0.%d/31".formatted(random.nextInt(2) * 2);
                    };
            rules.append("-A FORWARD %s -j %s\n".formatted(match, target(random)));
        }
        return Files.writeString(folder.resolve(name + ".save"), rules + "COMMIT\n") + "#FORWARD";
    }

    private static String target(Random random) {
        return random.nextBoolean() ? "ACCEPT" : "DROP";
    }

    private Sluice edit(Object... more) throws IOException {
        Path fresh = edited(SERVER_RULES, "--dports 80,443 -j ACCEPT", "--dports 443 -j ACCEPT");
        List<Object> words = List.of("whatif", SERVER, "--rules", SERVER_RULES + "#INPUT");
        words = with(words, "--rules", fresh + "#INPUT", "--assume", "new");
        return Sluice.run(with(words, more).toArray());
    }

    @Test
    void rowsSayWhoIsConcerned() throws IOException {
        Path hosts = Files.writeString(folder.resolve("hosts"), "203.0.113.7 browser\n");
        Sluice run =
                Sluice.ok(
                        edit(
                                "--json",
                                "--hosts",
                                hosts,
                                "--by",
                                "rule,source,destination,service"));
        List<Object> words = with(List.of("whatif", SERVER, "--rules", SERVER_RULES + "#INPUT"));
        words = with(words, "--rules", TestData.office("office.ovs"), "--json", "--unmet", "3");
        Sluice others = Sluice.ok(words.toArray());
        assertTrue(others.err().contains("; 3 shown, the largest; --unmet"), others.err());
        JsonPage.assertTells("whatif", run.out() + others.out());
        assertTrue(run.out().contains("\"source_host\":\"browser\""), run.out());
        assertTrue(
                run.out().contains("#35: tcp 203.0.113.7:40207 > 198.51.100.10:80 syn"), run.out());
        Sluice top = Sluice.ok(edit("--top", "1"));
        assertTrue(top.err().contains("1 of 2 rows shown"), top.err());
    }

    @Test
    void markdownIsATable() throws IOException {
        String text = Sluice.ok(edit("--format", "markdown", "--by", "rule")).out();
        assertTrue(text.startsWith("| packets | bytes | connections | first | last | was |"), text);
        assertTrue(text.contains("| permit | 14 | deny | 17 | -A INPUT -p tcp "), text);
        assertEquals(3, text.lines().count());
    }

    @ParameterizedTest
    @CsvSource({
        "false, denied, 1",
        "false, permitted, 0",
        "false, any, 1",
        "true, denied, 0",
        "true, permitted, 1",
        "true, any, 1"
    })
    void theExitStatusTellsOfChanges(boolean swapped, String on, int status) throws IOException {
        Path fresh = edited(SERVER_RULES, "--dports 80,443 -j ACCEPT", "--dports 443 -j ACCEPT");
        Sluice run =
                Sluice.run(
                        "whatif",
                        SERVER,
                        "--rules",
                        (swapped ? fresh : SERVER_RULES) + "#INPUT",
                        "--rules",
                        (swapped ? SERVER_RULES : fresh) + "#INPUT",
                        "--assume",
                        "new",
                        "--fail-on",
                        on);
        assertEquals(status, run.status(), run.err());
    }

    @Test
    void connectionsBeyondTheKeptOnesAreTold() throws IOException {
        Sluice run = Sluice.ok(edit("--keep", "2", "--by", "rule"));
        assertTrue(run.err().contains("76 of 140 packets of at least 2 connections"), run.err());
    }

    @Test
    void wrongUseIsAnsweredWithARemedy() throws IOException {
        Sluice once = Sluice.run("whatif", "no.pcap", "--rules", SERVER_RULES);
        assertEquals(2, once.status());
        assertTrue(once.err().contains("--rules OLD --rules NEW"), once.err());
        Sluice none = Sluice.ok(edit("--unmet", "0"));
        assertFalse(none.err().contains("no packet met"), none.err());
        Sluice host = Sluice.ok(edit("--nat"));
        assertTrue(host.err().contains("not looked for: files are compared"), host.err());
        Sluice sarif = edit("--format", "sarif");
        assertEquals(2, sarif.status());
        assertTrue(sarif.err().contains("use one of table, tsv, json, markdown"), sarif.err());
    }
}
