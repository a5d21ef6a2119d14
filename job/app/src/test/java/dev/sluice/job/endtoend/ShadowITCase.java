package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.ShadowCount;
import dev.sluice.schemas.codec.ShadowCount.Decision;
import dev.sluice.schemas.codec.ShadowCount.Kind;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A shadow in a real job: its counts are what {@code whatif} says of the same packets. */
@Timeout(300)
class ShadowITCase {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final Path RULES = TestData.office("office.ovs");

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private static Path edited;

    @BeforeAll
    static void start() throws IOException {
        // Every third rule decides the other way.
        List<String> lines = new ArrayList<>(Files.readAllLines(RULES));
        for (int i = 0; i < lines.size(); i += 3) {
            String line = lines.get(i);
            lines.set(
                    i,
                    line.contains("actions=drop")
                            ? line.replace("actions=drop", "actions=NORMAL")
                            : line.replaceAll("actions=.*", "actions=drop"));
        }
        edited = Files.write(folder.resolve("edited.ovs"), lines);
        sluice("export", CAPTURE, "--create-topics");
    }

    private static Sluice sluice(Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static Sluice run(String name, Path rules, Path shadow, Object... more) {
        sluice("rules", "publish", "--rules", rules, "--rules-topic", name);
        sluice("rules", "publish", "--rules", shadow, "--rules-topic", name + "-shadow");
        List<Object> words = new ArrayList<>(List.of("run", "--create-topics", "--bounded"));
        words.addAll(List.of("--from", "earliest", "--transactional-id-prefix", name));
        words.addAll(List.of("--group", name, "--rules-topic", name, "--no-stats"));
        words.addAll(List.of("--verdicts-topic", name + "-verdicts"));
        words.addAll(List.of("--shadow-rules", name + "-shadow", "--shadow-topic", name + "-out"));
        words.addAll(List.of(more));
        return sluice(words.toArray());
    }

    private static List<ShadowCount> counts(String topic) throws Exception {
        Map<String, ShadowCount> newest = new HashMap<>();
        try (TopicReader reader =
                new TopicReader(new KafkaClients(broker.bootstrap()), List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (var message : reader.poll(Duration.ofMillis(100))) {
                    ShadowCount count = ShadowCount.decode(message.value());
                    assertEquals(count.key(), new String(message.key(), StandardCharsets.UTF_8));
                    newest.put(count.key(), count);
                }
            }
        }
        return List.copyOf(newest.values());
    }

    private static String side(Decision decision) {
        return "%s %s %s %s"
                .formatted(decision.outcome(), decision.line(), decision.action(), decision.rule());
    }

    /** Packets, bytes, first and last time by the words of the pair of rules. */
    private static Map<String, List<Long>> pairs(List<ShadowCount> counts) {
        Map<String, List<Long>> pairs = new TreeMap<>();
        for (ShadowCount count : counts) {
            if (count.kind() == Kind.PAIR) {
                String pair =
                        side(Objects.requireNonNull(count.old()))
                                + " > "
                                + side(Objects.requireNonNull(count.fresh()));
                pairs.put(
                        pair,
                        List.of(count.packets(), count.bytes(), count.firstNs(), count.lastNs()));
            }
        }
        return pairs;
    }

    private static String side(JsonNode rule) {
        JsonNode line = rule.get("line");
        String text = rule.path("rule").asText();
        return "%s %s %s %s"
                .formatted(
                        rule.path("outcome").asText(),
                        line == null ? null : line.asInt(),
                        rule.path("action").asText(),
                        line == null && text.startsWith("default action") ? "" : text);
    }

    private static Map<String, List<Long>> whatIf(Path old, Path fresh, Object... more)
            throws IOException {
        List<Object> words = new ArrayList<>(List.of("whatif", CAPTURE, "--rules", old));
        words.addAll(List.of("--rules", fresh, "--by", "rule", "--all", "--format", "json"));
        words.addAll(List.of(more));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(0, run.status(), run.err());
        Map<String, List<Long>> pairs = new TreeMap<>();
        for (String line : run.out().lines().toList()) {
            JsonNode row = new ObjectMapper().readTree(line);
            pairs.put(
                    side(row.get("old")) + " > " + side(row.get("new")),
                    List.of(
                            row.get("packets").asLong(),
                            row.get("bytes").asLong(),
                            row.path("first_ns").asLong(Column.NO_TIME),
                            row.path("last_ns").asLong(Column.NO_TIME)));
        }
        return pairs;
    }

    private static long packets(List<ShadowCount> counts, Kind kind) {
        return counts.stream()
                .filter(count -> count.kind() == kind)
                .mapToLong(ShadowCount::packets)
                .sum();
    }

    @Test
    void pairsAreCountedAsWhatIfCountsThem() throws Exception {
        run("plain", RULES, edited, "--parallelism", "2");
        List<ShadowCount> counts = counts("plain-out");
        Map<String, List<Long>> expected = whatIf(RULES, edited);
        assertTrue(expected.size() > 5, expected.toString());
        assertEquals(expected, pairs(counts));
        assertEquals(0, packets(counts, Kind.NOT_COMPARED));
        assertEquals(0, packets(counts, Kind.OTHERS));
        assertTrue(packets(counts, Kind.SAME) > 0);
    }
}
