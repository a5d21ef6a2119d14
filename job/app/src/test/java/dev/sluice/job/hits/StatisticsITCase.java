package dev.sluice.job.hits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Statistics through a real broker: what a job counts is what a capture's own count says. */
@Timeout(300)
class StatisticsITCase {
    private static final long WINDOW_NS = 1_000_000_000L;
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @BeforeAll
    static void start() {
        sluice("rules", "publish", "--rules", RULES);
        sluice("export", CAPTURE, "--create-topics");
        run("counted", "--stats-window", "1s");
    }

    private static Sluice sluice(Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static void run(String name, Object... more) {
        List<Object> words =
                new ArrayList<>(
                        List.of(
                                "run",
                                "--create-topics",
                                "--bounded",
                                "--from",
                                "earliest",
                                "--transactional-id-prefix",
                                name,
                                "--group",
                                name));
        words.addAll(List.of(more));
        sluice(words.toArray());
    }

    private static List<JsonNode> json(Sluice run) throws IOException {
        List<JsonNode> rows = new ArrayList<>();
        for (String line : run.out().lines().toList()) {
            rows.add(new ObjectMapper().readTree(line));
        }
        return rows;
    }

    @Test
    void theTopicSaysWhatTheCaptureSays() {
        Sluice fromCapture = Sluice.run("rules", "hits", CAPTURE, "--rules", RULES, "--json");
        assertEquals(0, fromCapture.status(), fromCapture.err());
        assertEquals(fromCapture.out(), sluice("rules", "hits", "--json").out());
        assertEquals(fromCapture.out(), sluice("rules", "hits", "--json", "--rules", RULES).out());
    }

    @Test
    void windowsAddUpToTheTotals() throws Exception {
        Map<String, Long> packets = new HashMap<>();
        Map<String, Long> bytes = new HashMap<>();
        Set<Long> starts = new HashSet<>();
        for (JsonNode row : json(sluice("rules", "hits", "--windows", "--json"))) {
            String rule = row.get("rule_id").toString();
            long start = row.get("window_start_ns").asLong();
            assertEquals(0, start % WINDOW_NS);
            assertTrue(start <= row.get("first_ns").asLong(), row.toString());
            assertTrue(row.get("last_ns").asLong() < start + WINDOW_NS, row.toString());
            packets.merge(rule, row.get("packets").asLong(), Long::sum);
            bytes.merge(rule, row.get("bytes").asLong(), Long::sum);
            starts.add(start);
        }
        assertTrue(starts.size() > 1, "one window shows nothing");
        for (JsonNode row : json(sluice("rules", "hits", "--json"))) {
            String rule = row.get("rule_id").toString();
            assertEquals(row.get("packets").asLong(), packets.getOrDefault(rule, 0L), rule);
            assertEquals(row.get("bytes").asLong(), bytes.getOrDefault(rule, 0L), rule);
        }
    }

    @Test
    void eachRuleThatWasHitHasOneKeyAndAJobWithoutStatisticsWritesNone() throws Exception {
        run("silent", "--no-stats");
        Set<String> keys = new HashSet<>();
        int messages = 0;
        try (TopicReader reader =
                new TopicReader(new KafkaClients(broker.bootstrap()), List.of("sluice-stats"))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (var message : reader.poll(Duration.ofMillis(100))) {
                    keys.add(new String(message.key(), StandardCharsets.UTF_8));
                    messages++;
                }
            }
        }
        int hit = 0;
        for (JsonNode row : json(sluice("rules", "hits", "--json"))) {
            hit += row.get("packets").asLong() > 0 ? 1 : 0;
        }
        assertEquals(hit, keys.size());
        // One message a rule and checkpoint; the capture is classified within few of them.
        assertTrue(messages < 5 * hit, messages + " messages of " + hit + " rules");
    }

    @Test
    void aRuleThatIsGoneKeepsItsWordsAndOneThatIsNoRulesTopicSaysSo() throws Exception {
        Path fewer = folder.resolve("fewer.ovs");
        List<String> lines = new ArrayList<>(Files.readAllLines(RULES));
        String gone = lines.remove(28);
        Files.write(fewer, lines);
        sluice("rules", "publish", "--rules", RULES, "--rules-topic", "gone");
        sluice("rules", "publish", "--rules", fewer, "--rules-topic", "gone");
        // The statistics are of another topic's history; the file's ids are the same.
        List<JsonNode> removed = new ArrayList<>();
        for (JsonNode row : json(sluice("rules", "hits", "--json", "--rules", fewer))) {
            if (row.get("standing").asText().equals("removed")) {
                removed.add(row);
            }
        }
        assertEquals(1, removed.size(), gone);
        assertEquals(625, removed.get(0).get("packets").asLong());
        assertTrue(removed.get(0).get("rule").asText().startsWith("rule "));
        KnownRules known = TopicRules.read(new KafkaClients(broker.bootstrap()), "gone");
        long id = removed.get(0).get("rule_id").asLong();
        assertEquals(gone, known.removed().get(id).text());
        assertEquals(0, known.removed().get(id).line());
        assertEquals(
                lines.stream().filter(l -> l.contains("actions")).count(), known.inForce().size());
    }
}
