package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pages of questions about a policy in a browser: their numbers are those of the commands' JSON.
 */
class QuestionPagesTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
    private static final String SERVER_RULES =
            TestData.inCheckout("test-data/firewall/server.save") + "#INPUT";
    private static final Path HOST = TestData.inCheckout("test-data/iptables/host.save");

    @RegisterExtension static final Browser browser = new Browser();
    @TempDir static Path folder;

    /** Runs a command with {@code --json} and a page, opens the page, and returns its rows. */
    private static List<JsonNode> open(String name, int status, Object... words)
            throws IOException {
        Path file = folder.resolve(name);
        Sluice run =
                Sluice.run(
                        Stream.concat(Stream.of(words), Stream.of("--json", "--report", file))
                                .toArray());
        assertEquals(status, run.status(), run.err());
        assertTrue(run.err().contains("sluice: the page is in " + file + "\n"), run.err());
        browser.open(file);
        List<JsonNode> rows = new ArrayList<>();
        for (String line : run.out().lines().toList()) {
            rows.add(new ObjectMapper().readTree(line));
        }
        return rows;
    }

    private static String number(JsonNode node) {
        return "%,d".formatted(node.asLong());
    }

    private static List<String> texts(List<JsonNode> rows, String member) {
        return rows.stream().map(row -> row.get(member).asText()).toList();
    }

    @Test
    void lintShowsItsFindingsBesideTheRules() throws IOException {
        List<JsonNode> rows = open("lint.html", 0, "rules", "lint", HOST);
        assertEquals(List.of("Findings", "Rules"), browser.texts("[role=tab]"));
        assertEquals(texts(rows, "finding"), browser.column("finding"));
        assertEquals(texts(rows, "line"), browser.column("line"));
        assertEquals(texts(rows, "rule"), browser.column("rule"));
        long conflicts =
                rows.stream().filter(r -> r.get("finding").asText().equals("conflict")).count();
        assertEquals(String.valueOf(conflicts), browser.facts().get("conflict"));
        JsonNode redundant =
                rows.stream()
                        .filter(row -> row.get("finding").asText().equals("redundant"))
                        .findFirst()
                        .orElseThrow();
        browser.all("select[aria-label='Show only finding']").get(0).sendKeys("redundant");
        assertEquals(List.of(redundant.get("by").get(0).asText()), browser.column("by lines"));
        browser.follow(browser.all(".rows td.line a").get(0));
        assertEquals(List.of("redundant, conflict"), browser.column("findings"));
        browser.press("line " + redundant.get("line").asText() + " ×");
        assertEquals(browser.facts().get("rules"), String.valueOf(browser.rows().size()));
        browser.all("select[aria-label='Show only findings']").get(0).sendKeys("conflict");
        assertEquals(conflicts, browser.rows().size());
        assertEquals(List.of(), browser.complaints());
    }

    @Test
    void lintShowsTheHitsOfItsRules() throws IOException {
        List<JsonNode> rows =
                open(
                        "hits.html",
                        0,
                        "rules",
                        "lint",
                        SERVER_RULES,
                        "--hits",
                        SERVER,
                        "--in-interface",
                        "eth0",
                        "--assume",
                        "new");
        assertEquals(
                rows.stream()
                        .map(row -> row.get("packets").isNull() ? "" : number(row.get("packets")))
                        .toList(),
                browser.column("packets"));
        assertEquals(
                texts(rows, "may_be_hit"),
                browser.column("hits").stream()
                        .map(hits -> "" + hits.equals("may be hit"))
                        .toList());
        assertEquals(texts(rows, "wider"), browser.column("wider"));
        browser.tab("Rules");
        browser.all("select[aria-label='Show only findings']").get(0).sendKeys("wider");
        assertEquals(browser.facts().get("wider"), String.valueOf(browser.rows().size()));
        assertEquals(List.of(), browser.complaints());
    }

    @Test
    void whatIfShowsPairsOfRulesAndHosts() throws IOException {
        Object[] words = {
            "whatif",
            TestData.inCheckout("test-data/office/office.pcapng.gz"),
            "--rules",
            TestData.inCheckout("test-data/office/office.save") + "#FORWARD",
            "--rules",
            TestData.inCheckout("test-data/office/office.ovs"),
            "--all"
        };
        List<JsonNode> all = open("pairs.html", 0, with(words, "--by", "rule"));
        List<JsonNode> pairs = met(all);
        assertTrue(all.size() > pairs.size());
        assertEquals(
                List.of("Pairs of rules", "Hosts and services", "Dead letters", "Captures"),
                browser.texts("[role=tab]"));
        assertTrue(pairs.size() > 1);
        checkChanges(all);
        for (int i = 0; i < all.size(); i++) {
            String where = all.get(i).path("where").asText();
            assertEquals(where.isEmpty(), browser.column("where").get(i).isEmpty());
            assertTrue(browser.column("where").get(i).contains(where), where);
        }
        assertEquals("%,d".formatted(pairs.size()), browser.facts().get("pairs of rules"));
        assertEquals(sum(pairs), browser.facts().get("with another outcome"));

        List<JsonNode> rows = met(open("whatif.html", 0, words));
        browser.tab("Hosts and services");
        checkChanges(rows);
        assertEquals(
                rows.stream().map(row -> row.path("source").asText("no address")).toList(),
                browser.column("source"));
        assertEquals(texts(rows, "service"), browser.column("service"));
        assertEquals(sum(rows), browser.texts(".matrix tfoot td:last-child").get(0));
        String line = browser.column("old line").get(0);
        browser.follow(browser.all(".rows td[data-name='old line'] a").get(0));
        assertEquals(List.of("Pairs of rules"), browser.texts("section h2"));
        assertTrue(browser.rows().size() < all.size());
        assertEquals(Set.of(line), Set.copyOf(browser.column("old line")));
        browser.tab("Dead letters");
        browser.tab("Captures");
        assertEquals(browser.facts().get("packets"), browser.column("packets").get(0));
        assertEquals(List.of(), browser.complaints());
    }

    @Test
    void verifyShowsDifferencesBesideTheRules() throws IOException {
        Path log = TestData.inCheckout("test-data/logs/host.log");
        Path other = folder.resolve("other.save");
        String text = Files.readString(TestData.inCheckout("test-data/logs/host.save"));
        Files.writeString(other, text.replaceFirst("(?m)^-A .*-j LOG.*\n", "-A INPUT -j DROP\n$0"));
        List<JsonNode> rows = open("verify.html", 1, "verify", "--log", log, "--rules", other);
        assertEquals(List.of("Findings", "Rules", "Dead letters"), browser.texts("[role=tab]"));
        assertTrue(rows.size() > 1);
        for (String name : List.of("finding", "packet", "reason")) {
            assertEquals(texts(rows, name), browser.column(name));
        }
        assertEquals(
                rows.stream().map(row -> number(row.get("log_line"))).toList(),
                browser.column("log line"));
        assertEquals(
                rows.stream().map(row -> row.path("line").asText("")).toList(),
                browser.column("line"));
        assertEquals(
                rows.stream().map(row -> row.path("rule").asText("")).toList(),
                browser.column("rule"));
        browser.follow(browser.all(".rows td[data-name='logged by'] a").get(0));
        assertEquals(List.of("Rules"), browser.texts("section h2"));
        String line = browser.column("line").get(0);
        long logged =
                rows.stream()
                        .filter(row -> row.get("logged_by").toString().equals("[" + line + "]"))
                        .count();
        assertEquals(List.of("%,d".formatted(logged)), browser.column("differences"));
        browser.tab("Dead letters");
        assertEquals(List.of(), browser.complaints());
    }

    /** The connections are those of {@code --connections}, the largest first. */
    @Test
    void trackedConnectionsAreListed() throws IOException {
        Path file = folder.resolve("connections.html");
        Path written = folder.resolve("connections.json");
        Object[] words = {
            "classify",
            TestData.inCheckout("test-data/office/office.pcapng.gz"),
            "--rules",
            TestData.inCheckout("test-data/office/office.save") + "#FORWARD",
            "--conntrack",
            "linux",
            "--json",
            "--connections",
            written,
            "--report",
            file
        };
        JsonNode summary = new ObjectMapper().readTree(Sluice.ok(words).out());
        browser.open(file);
        browser.tab("Connections");
        JsonNode counts = summary.get("connections");
        String refused = browser.facts().get("connections refused");
        assertEquals(number(counts.get("refused_connections")), refused);
        assertTrue(counts.get("refused_connections").asLong() > 1);
        List<List<String>> expected = new ArrayList<>();
        for (String line : Files.readAllLines(written)) {
            JsonNode row = new ObjectMapper().readTree(line);
            expected.add(
                    List.of(
                            row.get("ipSrc").asText(),
                            row.has("icmpId") ? "" : row.path("srcPort").asText(""),
                            row.get("ipDst").asText(),
                            row.get("outcome").asText(),
                            row.path("line").asText("default"),
                            number(row.get("packets")),
                            number(row.get("bytes")),
                            number(row.get("replyPackets")),
                            number(row.get("replyBytes")),
                            time(row.get("firstNs").asLong()),
                            row.get("end").asText(),
                            row.has("refusedPacket") ? number(row.get("refusedPacket")) : ""));
        }
        List<String> heads = browser.texts(".rows th");
        List<String> shown =
                List.of(
                        "source",
                        "source port",
                        "destination",
                        "outcome",
                        "line",
                        "packets",
                        "bytes",
                        "reply packets",
                        "reply bytes",
                        "first",
                        "end",
                        "refused packet");
        List<List<String>> rows =
                browser.rows().stream()
                        .map(
                                row ->
                                        shown.stream()
                                                .map(name -> row.get(heads.indexOf(name)))
                                                .toList())
                        .toList();
        assertEquals(sorted(expected), sorted(rows));
        browser.all("select[aria-label='Show only refused']").get(0).sendKeys("refused");
        assertEquals(refused, String.valueOf(browser.rows().size()));
        browser.press("ms");
        browser.follow(browser.all(".rows td.line a").get(0));
        assertEquals(List.of("Rules"), browser.texts("section h2"));
        assertEquals(List.of(), browser.complaints());
    }

    private static List<String> sorted(List<List<String>> rows) {
        return rows.stream().map(List::toString).sorted().toList();
    }

    private static String time(long ns) {
        return DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT)
                .format(Instant.EPOCH.plusNanos(ns).atOffset(ZoneOffset.UTC));
    }

    /** Texts of rules and names of files stay texts on every page, which fits on a phone. */
    @Test
    void hostileTextsStayTextsAndPhonesShowThem() throws IOException {
        String evil = "</script><img src=x onerror=alert(1)> ' & -->";
        Path rules = folder.resolve("it's <b>.save");
        String text =
                """
                *filter
                :INPUT ACCEPT [0:0]
                -A INPUT -p tcp -m comment --comment "%1$s" -j LOG --log-prefix "deny "
                -A INPUT -p tcp -m comment --comment "%1$s" -j DROP
                -A INPUT -p tcp -m tcp --dport 22 -m comment --comment "%1$s" -j DROP
                COMMIT
                """
                        .formatted(evil);
        Files.writeString(rules, text);
        Path after = folder.resolve("after.save");
        Files.writeString(after, text.replace("-j DROP", "-j ACCEPT"));
        Path log = folder.resolve("<i>.log");
        Files.writeString(
                log,
                "kernel: <script>alert(1)</script> IN=eth0 OUT= SRC=10.0.0.1 DST=10.0.0.2 LEN=40 TTL=64 ID=1 PROTO=TCP SPT=1 DPT=2 SYN\n");
        try (Browser phone = Browser.start(true)) {
            for (List<Object> words :
                    List.<List<Object>>of(
                            List.of("rules", "lint", rules),
                            List.of("whatif", SERVER, "--rules", rules, "--rules", after),
                            List.of("verify", "--log", log, "--rules", rules, "--all"))) {
                Path file = folder.resolve("evil.html");
                List<Object> all = new ArrayList<>(words);
                all.addAll(List.of("--report", file));
                Sluice run = Sluice.run(all.toArray());
                assertTrue(run.err().contains("the page is in"), run.err());
                assertFalse(Files.readString(file).contains("onerror"));
                phone.open(file);
                for (String tab : phone.texts("[role=tab]")) {
                    phone.tab(tab);
                    assertEquals(
                            360L, phone.script("return document.documentElement.scrollWidth"), tab);
                }
                phone.script("dispatchEvent(new Event('beforeprint'))");
                assertEquals(
                        (long) phone.all("[role=tab]").size(),
                        phone.script(
                                "return document.querySelectorAll('section .rows tbody').length"));
                assertTrue(
                        (boolean) phone.script("return document.body.innerText.includes('<b>')"));
                assertEquals(0, phone.all("img, b, i").size());
                assertEquals(List.of(), phone.complaints());
            }
        }
    }

    private static Object[] with(Object[] words, Object... more) {
        return Stream.concat(Stream.of(words), Stream.of(more)).toArray();
    }

    /** The rows of packets that were met. */
    private static List<JsonNode> met(List<JsonNode> rows) {
        return rows.stream().filter(row -> row.get("packets").asLong() > 0).toList();
    }

    private static String sum(List<JsonNode> rows) {
        return "%,d".formatted(rows.stream().mapToLong(row -> row.get("packets").asLong()).sum());
    }

    private static void checkChanges(List<JsonNode> rows) {
        for (String name : List.of("packets", "bytes", "connections")) {
            assertEquals(
                    rows.stream().map(row -> number(row.path(name))).toList(),
                    browser.column(name));
        }
        assertEquals(texts(rows, "example"), browser.column("example"));
        for (String side : List.of("old", "new")) {
            List<JsonNode> rules = rows.stream().map(row -> row.get(side)).toList();
            assertEquals(texts(rules, "rule"), browser.column(side + " rule"));
            assertEquals(
                    rules.stream().map(rule -> rule.path("line").asText("default")).toList(),
                    browser.column(side + " line"));
        }
    }
}
