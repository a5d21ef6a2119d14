package dev.sluice.job.hits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.capture.CaptureReader;
import dev.sluice.job.capture.Captures;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rules hits} on captures: against the verdicts that a program of its own expects. */
class CaptureHitsTest {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    /** Sums of one line of the rule file, 0 for the default action. */
    private record Sums(long packets, long bytes, long first, long last) {
        Sums plus(Sums other) {
            return new Sums(
                    packets + other.packets,
                    bytes + other.bytes,
                    Math.min(first, other.first),
                    Math.max(last, other.last));
        }
    }

    private static Sluice hits(Object... more) {
        List<Object> words = new ArrayList<>(List.of("rules", "hits", CAPTURE, "--rules", RULES));
        words.addAll(List.of(more));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static List<JsonNode> json(Sluice run) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (String line : run.out().lines().toList()) {
            rows.add(new ObjectMapper().readTree(line));
        }
        return rows;
    }

    private static Map<Integer, Sums> expected() throws IOException {
        Map<Long, Integer> lineOf = new HashMap<>();
        List<String> verdicts = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        for (String verdict : verdicts.subList(1, verdicts.size())) {
            String[] cells = verdict.split("\t", -1);
            lineOf.put(
                    Long.parseLong(cells[0]), cells[1].isEmpty() ? 0 : Integer.parseInt(cells[1]));
        }
        Map<Integer, Sums> sums = new HashMap<>();
        try (CaptureReader capture = Captures.open(CAPTURE)) {
            while (capture.next()) {
                Integer line = lineOf.get(capture.packet());
                if (line != null) {
                    long time = capture.timeNs();
                    sums.merge(line, new Sums(1, capture.wireLength(), time, time), Sums::plus);
                }
            }
        }
        return sums;
    }

    @Test
    void everyLineOfTheFileHasItsSumsAndThoseNeverHitNone() throws Exception {
        Map<Integer, Sums> expected = expected();
        Map<Integer, Sums> seen = new HashMap<>();
        int never = 0;
        for (JsonNode row : json(hits("--json"))) {
            int line = row.get("line").isNull() ? 0 : row.get("line").asInt();
            assertEquals(line == 0 ? "default" : "in_force", row.get("standing").asText());
            if (row.get("packets").asLong() == 0) {
                never++;
                assertTrue(row.get("first_ns").isNull() && row.get("from_version").isNull());
                continue;
            }
            Sums sums =
                    new Sums(
                            row.get("packets").asLong(),
                            row.get("bytes").asLong(),
                            row.get("first_ns").asLong(),
                            row.get("last_ns").asLong());
            assertEquals(null, seen.put(line, sums));
        }
        assertEquals(expected, seen);
        Sluice unhit = hits("--never");
        assertEquals(never + 2, unhit.out().lines().count(), unhit.out());
        assertTrue(never > 0 && unhit.out().contains(never + " of "), unhit.out());
    }

    @Test
    void rowsStandInTheOrderThatIsAskedFor() throws Exception {
        List<Long> packets = new ArrayList<>();
        json(hits("--json")).forEach(row -> packets.add(row.get("packets").asLong()));
        List<Long> sorted = new ArrayList<>(packets);
        sorted.sort((a, b) -> Long.compare(b, a));
        assertEquals(sorted, packets);
        List<Integer> lines = new ArrayList<>();
        for (JsonNode row : json(hits("--json", "--sort", "line"))) {
            lines.add(row.get("line").isNull() ? Integer.MAX_VALUE : row.get("line").asInt());
        }
        List<Integer> ascending = new ArrayList<>(lines);
        ascending.sort(null);
        assertEquals(ascending, lines);
        long before = Long.MAX_VALUE;
        for (JsonNode row : json(hits("--json", "--sort", "last"))) {
            long last = row.get("last_ns").isNull() ? Long.MIN_VALUE : row.get("last_ns").asLong();
            assertTrue(last <= before, row.toString());
            before = last;
        }
    }

    @Test
    void theTableNamesRulesByLineAndTimesInUtc() {
        String table = hits().out();
        assertTrue(table.contains("default action: drop"), table);
        assertTrue(
                table.lines()
                        .anyMatch(
                                line ->
                                        line.matches(
                                                " +625 .* 20..-..-..T..:..:..\\.\\d{3}Z .* 1 +29  .*")),
                table);
    }

    @Test
    void aCaptureThatEndsEarlyIsCountedUpToThere(@TempDir Path folder) throws Exception {
        Path cut = folder.resolve("cut.pcapng.gz");
        byte[] whole = Files.readAllBytes(CAPTURE);
        Files.write(cut, java.util.Arrays.copyOf(whole, whole.length / 2));
        Sluice run = Sluice.run("rules", "hits", cut, "--rules", RULES, "--json");
        assertEquals(1, run.status());
        assertTrue(run.err().contains("every packet before it was classified"), run.err());
        assertTrue(run.out().lines().count() > 10, run.out());
    }

    @Test
    void aFileThatIsNoCaptureHasNoTable(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("text.pcap"), "no capture at all");
        Sluice run = Sluice.run("rules", "hits", text, "--rules", RULES);
        assertEquals(1, run.status());
        assertEquals("", run.out());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().contains("bad-magic") && !run.err().contains("counted"), run.err());
        Sluice beside = Sluice.run("rules", "hits", text, CAPTURE, "--rules", RULES);
        assertEquals(1, beside.status());
        assertEquals(hits().out(), beside.out());
    }

    @Test
    void whatIsMissingIsNamed() {
        Sluice nothing = Sluice.run("rules", "hits");
        assertEquals(2, nothing.status());
        assertTrue(nothing.err().contains("--bootstrap"), nothing.err());
        Sluice windows = Sluice.run("rules", "hits", CAPTURE, "--rules", RULES, "--windows");
        assertEquals(2, windows.status());
        assertTrue(windows.err().contains("--windows"), windows.err());
        Sluice rules = Sluice.run("rules", "hits", CAPTURE);
        assertEquals(2, rules.status());
        assertTrue(rules.err().contains("--rules"), rules.err());
    }
}
