package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Pages in a browser: the numbers are those of the commands, and every control works. */
class ReportPageTest {
    private static final Path SERVER = TestData.inCheckout("test-data/firewall/server.pcapng.gz");
    private static final Path OFFICE = TestData.inCheckout("test-data/office/office.pcapng.gz");
    private static final List<String> TABS =
            List.of("Over time", "Rules", "Findings", "Denied", "Dead letters", "Captures");

    @RegisterExtension static final Browser browser = new Browser();
    @TempDir static Path folder;

    private static List<Object> server(String... more) {
        List<Object> words = new ArrayList<>(List.of(SERVER, "--rules"));
        words.add(TestData.inCheckout("test-data/firewall/server.save") + "#INPUT");
        words.addAll(List.of("--in-interface", "eth0", "--assume", "new"));
        words.addAll(List.of(more));
        return words;
    }

    private static List<Object> office(String... more) {
        List<Object> words = new ArrayList<>(List.of(OFFICE, "--rules"));
        words.add(TestData.inCheckout("test-data/office/office.ovs"));
        words.addAll(List.of(more));
        return words;
    }

    private static Sluice ok(String command, List<Object> words) {
        words.add(0, command);
        return Sluice.ok(words.toArray());
    }

    /** Writes the page of a command, and returns its summary. */
    private static JsonNode page(Path to, List<Object> words) throws IOException {
        words.addAll(List.of("--json", "--report", to));
        Sluice run = ok("classify", words);
        assertTrue(run.err().endsWith("sluice: the page is in " + to + "\n"), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    private static String time(JsonNode ns) {
        return ns.isNull()
                ? "–"
                : DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT)
                        .format(Instant.EPOCH.plusNanos(ns.asLong()).atOffset(ZoneOffset.UTC));
    }

    private static String number(JsonNode node) {
        return "%,d".formatted(node.asLong());
    }

    @Test
    void everyTabShowsTheNumbersOfTheCommands() throws IOException {
        for (boolean policy : new boolean[] {true, false}) {
            Path file = folder.resolve("numbers.html");
            JsonNode summary = page(file, policy ? server() : office());
            browser.open(file);
            assertEquals(TABS, browser.texts("[role=tab]"));
            List<String> facts = browser.texts("#facts dd");
            assertEquals(number(summary.get("packets")), facts.get(0));
            assertEquals(number(summary.get("rules_never_hit")), facts.get(5));
            checkTimes(summary);
            checkRules(summary);
            checkFindings(policy ? server() : office());
            checkDenied(
                    ok("report", policy ? server("--all", "--json") : office("--all", "--json")));
            browser.tab("Dead letters");
            assertEquals(summary.get("dead_letters").size(), browser.rows().size());
            for (List<String> row : browser.rows()) {
                assertEquals(number(summary.get("dead_letters").get(row.get(0))), row.get(1));
            }
            browser.tab("Captures");
            JsonNode capture = summary.get("captures").get(0);
            assertEquals(
                    List.of(
                            List.of(
                                    capture.get("capture").asText(),
                                    number(capture.get("packets")),
                                    number(capture.get("matched")),
                                    number(capture.get("missed")),
                                    number(capture.get("dead_letters")),
                                    capture.get("end").asText())),
                    browser.rows());
            assertEquals(List.of(), browser.complaints());
        }
    }

    private static void checkTimes(JsonNode summary) {
        browser.tab("Over time");
        long drawn = browser.all(".chart canvas").size();
        assertEquals(1, drawn);
        long legend =
                browser.texts(".legend .amount").stream()
                        .mapToLong(text -> Long.parseLong(text.replace(",", "")))
                        .sum();
        assertEquals(summary.get("packets").asLong(), legend);
        int all = browser.rows().size();
        browser.press("Zoom in");
        browser.press("Zoom in");
        assertTrue(browser.rows().size() < all, "zoom chooses buckets");
        browser.press("Later");
        browser.press("Zoom out");
        browser.press("All");
        assertEquals(all, browser.rows().size());
    }

    private static void checkRules(JsonNode summary) {
        browser.tab("Rules");
        List<List<String>> expected = new ArrayList<>();
        int lines = 0;
        for (JsonNode rule : summary.get("rules")) {
            expected.add(
                    List.of(
                            rule.get("rule").asText(),
                            number(rule.get("packets")),
                            number(rule.get("bytes")),
                            time(rule.get("first_ns")),
                            time(rule.get("last_ns"))));
            lines += rule.get("line").isNull() ? 0 : 1;
        }
        assertTrue(lines > 1);
        List<String> heads = browser.texts(".rows th");
        assertEquals(
                expected,
                browser.rows().stream()
                        .map(
                                row -> {
                                    int at = heads.indexOf("packets");
                                    return Stream.concat(
                                                    Stream.of(row.get(1)),
                                                    row.subList(at, at + 4).stream())
                                            .toList();
                                })
                        .toList());
        long never = browser.rows().stream().filter(row -> row.contains("never hit")).count();
        assertEquals(summary.get("rules_never_hit").asLong(), never);
    }

    /** The findings are those of lint, and stand beside their rules. */
    private static void checkFindings(List<Object> words) throws IOException {
        words.set(0, words.remove(2)); // the rules in place of the capture
        words.remove("--rules");
        words.addAll(List.of("--json"));
        words.add(0, "lint");
        Map<String, String> byRule = new TreeMap<>();
        List<List<String>> expected = new ArrayList<>();
        for (String line : ok("rules", words).out().lines().toList()) {
            JsonNode row = new ObjectMapper().readTree(line);
            String number = row.get("line").asInt() == 0 ? "default" : row.get("line").asText();
            expected.add(List.of(row.get("finding").asText(), number));
            byRule.merge(number, row.get("finding").asText(), (one, more) -> one + ", " + more);
        }
        assertTrue(expected.size() > 1);
        browser.tab("Rules");
        int at = browser.texts(".rows th").indexOf("findings");
        for (List<String> row : browser.rows()) {
            if (!row.get(0).equals("default") && !row.get(1).startsWith("depends on")) {
                assertEquals(byRule.getOrDefault(row.get(0), ""), row.get(at), row.toString());
            }
        }
        browser.tab("Findings");
        assertEquals(expected, browser.rows().stream().map(row -> row.subList(0, 2)).toList());
    }

    private static void checkDenied(Sluice report) throws IOException {
        browser.tab("Denied");
        List<List<String>> rows = browser.rows();
        TreeMap<String, Long> sources = new TreeMap<>();
        int at = 0;
        for (String line : report.out().lines().toList()) {
            JsonNode row = new ObjectMapper().readTree(line);
            assertEquals(
                    List.of(
                            row.get("source").asText(),
                            row.get("service").asText(),
                            row.hasNonNull("line") ? row.get("line").asText() : "default",
                            row.get("rule").asText(),
                            number(row.get("packets")),
                            number(row.get("bytes"))),
                    rows.get(at++).subList(0, 6));
            sources.merge(row.get("source").asText(), row.get("packets").asLong(), Long::sum);
        }
        assertEquals(at, rows.size());
        TreeMap<String, Long> matrix = new TreeMap<>();
        for (WebElement row : browser.all(".matrix tbody tr")) {
            String[] words = row.getText().split(" ");
            matrix.put(words[0], Long.parseLong(words[words.length - 1].replace(",", "")));
        }
        assertEquals(sources, matrix);
    }

    @Test
    void rowsAreSearchedSortedFilteredAndLinked() throws IOException {
        Path file = folder.resolve("controls.html");
        page(file, server());
        browser.open(file);
        browser.tab("Rules");
        WebElement search = browser.all("input[type=search]").get(0);
        search.sendKeys("logdrop");
        assertEquals(List.of("17"), browser.rows().stream().map(row -> row.get(0)).toList());
        assertTrue(browser.texts(".status").get(0).startsWith("1–1 of 1, chosen from "));
        search.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE);
        browser.press("line");
        assertEquals("ascending", browser.all(".rows th").get(0).getAttribute("aria-sort"));
        List<String> lines = browser.rows().stream().map(row -> row.get(0)).toList();
        assertEquals(List.of("5", "9", "10", "12", "13", "14", "17", "default"), lines);
        browser.press("line");
        assertEquals("descending", browser.all(".rows th").get(0).getAttribute("aria-sort"));
        assertEquals("default", browser.rows().get(0).get(0));
        assertEquals("5", browser.rows().get(7).get(0));
        browser.all("select[aria-label='Show only hits']").get(0).sendKeys("never hit");
        assertEquals(3, browser.rows().size());
        browser.tab("Denied");
        browser.follow(browser.all(".matrix td a").get(0));
        assertEquals(
                List.of("source 203.0.113.66 ×", "service 22/tcp ×"),
                browser.texts(".chips button"));
        assertEquals(1, browser.rows().size());
        browser.follow(browser.all(".rows td.line a").get(0));
        assertEquals(List.of("Rules"), browser.texts("section h2"));
        assertEquals(List.of("17"), browser.rows().stream().map(row -> row.get(0)).toList());
        assertEquals("panel-rules", browser.script("return document.activeElement.id"));
        for (var key :
                Map.of(Keys.ARROW_LEFT, "Over time", Keys.END, "Captures", Keys.HOME, "Over time")
                        .entrySet()) {
            browser.tab("Rules");
            browser.all("[role=tab][aria-selected=true]").get(0).sendKeys(key.getKey());
            browser.settle();
            assertEquals(List.of(key.getValue()), browser.texts("section h2"));
        }
        assertEquals(List.of(), browser.complaints());
    }

    /** Packets that cannot be classified have a series, and a row of their reason. */
    @Test
    void deadLettersAreDrawnAndListed() throws IOException {
        ByteBuffer capture = ByteBuffer.allocate(24 + 2 * 16 + 14 + 5);
        capture.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
        capture.putLong(0).putInt(65535).putInt(1); // Ethernet
        capture.putInt(1_700_000_000).putInt(0).putInt(14).putInt(14).put(new byte[14]);
        capture.putInt(1_700_000_000).putInt(2000).putInt(5).putInt(5).put(new byte[5]);
        Path packets = Files.write(folder.resolve("short.pcap"), capture.array());
        Path file = folder.resolve("dead.html");
        List<Object> words = office();
        words.set(0, packets);
        JsonNode summary = page(file, words);
        browser.open(file);
        assertEquals(List.of("drop1", "dead letter1"), browser.texts(".legend button"));
        assertEquals(2, browser.rows().size());
        browser.tab("Dead letters");
        String reason = summary.get("dead_letters").fieldNames().next();
        assertEquals(List.of(List.of(reason, "1")), browser.rows());
        assertEquals(List.of(), browser.complaints());
    }

    /** A rule's text cannot become markup, and the page loads nothing. */
    @Test
    void textsOfRulesStayTexts() throws IOException {
        String evil =
                "</script><script>document.title=1</script><img src=x onerror=alert(1)> --> {{data}}";
        Path rules =
                Files.writeString(
                        folder.resolve("evil.save"),
                        """
                        *filter
                        :INPUT ACCEPT [0:0]
                        -A INPUT -p tcp -m comment --comment "%s" -j DROP
                        COMMIT
                        """
                                .formatted(evil));
        Path file = folder.resolve("evil.html");
        page(
                file,
                new ArrayList<>(List.of(SERVER, "--rules", rules + "#INPUT", "--assume", "new")));
        String text = Files.readString(file);
        assertFalse(text.contains("onerror"));
        assertTrue(text.contains("content=\"default-src 'none';"));
        browser.open(file);
        browser.tab("Rules");
        assertTrue(
                browser.rows().stream().anyMatch(row -> row.get(1).contains(evil)),
                browser.rows().toString());
        assertEquals(0, browser.all("img").size());
        assertEquals(0L, browser.script("return performance.getEntriesByType('resource').length"));
        assertEquals(List.of(), browser.complaints());
    }

    /** On a phone no section is wider than the screen. */
    @Test
    void aPhoneShowsEverySection() throws IOException {
        Path file = folder.resolve("phone.html");
        page(file, server());
        try (Browser phone = Browser.start(true)) {
            phone.open(file);
            for (String id :
                    List.of("time", "rules", "findings", "denied", "dead-letters", "captures")) {
                phone.script("location.hash = arguments[0]", id);
                phone.settle();
                assertEquals(360L, phone.script("return document.documentElement.scrollWidth"), id);
            }
            assertEquals(List.of(), phone.complaints());
        }
    }

    /** Rows of other tabs are printed, too. */
    @Test
    void everySectionIsPrinted() throws IOException {
        Path file = folder.resolve("print.html");
        page(file, server());
        browser.open(file);
        browser.script("dispatchEvent(new Event('beforeprint'))");
        assertEquals(
                6L,
                browser.script("return document.querySelectorAll('section .rows tbody').length"));
        assertEquals(List.of(), browser.complaints());
    }
}
