package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.connections.TrackedVerdicts;
import dev.sluice.job.kafka.KafkaAccess;
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
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.NewTopic;
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
    private static final Path POLICY = TestData.office("office.save");
    private static final long PACKETS = 1057;

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
    }

    private static Sluice sluice(Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        Sluice run = Sluice.run(all.toArray());
        assertEquals(0, run.status(), run.err());
        return run;
    }

    /** Publishes the rules of a job and of its shadow. */
    private static void publish(Topics topics, Object rules, Object shadow, Object... more) {
        List<Object> words = new ArrayList<>(List.of("rules", "publish", "--rules", rules));
        words.addAll(List.of(more));
        Sluice.ok(topics.run(words.toArray()));
        words.set(3, shadow);
        words.addAll(List.of("--rules-topic", shadowRules(topics)));
        sluice(words.toArray());
    }

    private static String shadowRules(Topics topics) {
        return topics.names().rules() + "-shadow";
    }

    private static String shadowTopic(Topics topics) {
        return topics.names().rules() + "-counts";
    }

    /** Options of a job with a shadow. */
    private static Object[] shadowed(Topics topics, Object... more) {
        List<Object> words = new ArrayList<>(List.of("--create-topics", "--shadow-rules"));
        words.addAll(List.of(shadowRules(topics), "--shadow-topic", shadowTopic(topics)));
        words.addAll(List.of(more));
        return words.toArray();
    }

    /** Judges the capture once. */
    private static List<ShadowCount> judge(Topics topics, Object... more) throws Exception {
        export(topics);
        List<Object> words = new ArrayList<>(List.of(shadowed(topics, more)));
        words.add("--bounded");
        Sluice.ok(Sluice.run(topics.job(words.toArray())));
        return counts(shadowTopic(topics));
    }

    private static void export(Topics topics) {
        List<Object> words = new ArrayList<>(List.of("export", CAPTURE));
        words.addAll(TrackedVerdicts.EXPORTED);
        Sluice.ok(topics.run(words.toArray()));
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
        boolean lined = rule.hasNonNull("line");
        String text = rule.path("rule").asText();
        return "%s %s %s %s"
                .formatted(
                        rule.path("outcome").asText(),
                        lined ? rule.get("line").asInt() : null,
                        rule.path("action").asText(),
                        !lined && text.startsWith("default action") ? "" : text);
    }

    private static Map<String, List<Long>> whatIf(Object old, Object fresh, Object... more)
            throws IOException {
        List<Object> words = new ArrayList<>(List.of("whatif", CAPTURE, "--rules", old));
        words.addAll(List.of("--rules", fresh, "--by", "rule", "--all", "--format", "json"));
        words.addAll(List.of("--unmet", "0"));
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
        Topics topics = Topics.of(broker.bootstrap(), "plain").create();
        publish(topics, RULES, edited);
        List<ShadowCount> counts = judge(topics, "--parallelism", 2);
        Map<String, List<Long>> expected = whatIf(RULES, edited);
        assertTrue(expected.size() > 5, expected.toString());
        assertEquals(expected, pairs(counts));
        assertEquals(0, packets(counts, Kind.NOT_COMPARED));
        assertEquals(0, packets(counts, Kind.OTHERS));
        assertEquals(PACKETS, sum(counts));
    }

    /** Rules of chains under tracked connections beside rules that stand for themselves. */
    @Test
    void aShadowThatAsksForNoStatesIsComparedWithAPolicyThatDoes() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "tracked").create();
        publish(topics, POLICY + "#FORWARD", RULES, "--conntrack", "linux");
        List<ShadowCount> counts = judge(topics, "--conntrack", "linux", "--parallelism", 2);
        Map<String, List<Long>> expected =
                whatIf(POLICY + "#FORWARD", RULES, "--conntrack", "linux");
        assertEquals(expected, pairs(counts));
        assertTrue(expected.size() > 5, expected.toString());
    }

    /** A connection that the shadow would refuse is established, as it is by the job's policy. */
    @Test
    void aShadowIsJudgedUnderTheStatesOfTheJobsConnections() throws Exception {
        Path stricter = folder.resolve("stricter.save");
        Files.writeString(
                stricter, Files.readString(POLICY).replace("--dports 53,514", "--dports 54,514"));
        Topics topics = Topics.of(broker.bootstrap(), "states").create();
        publish(topics, POLICY + "#FORWARD", stricter + "#FORWARD", "--conntrack", "linux");
        List<ShadowCount> counts = judge(topics, "--conntrack", "linux");
        Map<String, List<Long>> expected =
                whatIf(POLICY + "#FORWARD", stricter + "#FORWARD", "--conntrack", "linux");
        assertTrue(expected.keySet().removeIf(pair -> pair.contains("ESTABLISHED")));
        assertFalse(expected.isEmpty());
        assertEquals(expected, pairs(counts));
        assertEquals(PACKETS, sum(counts));
    }

    @Test
    void aShadowThatAsksForStatesThatNobodyTracksIsNotCompared() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "untracked").create();
        publish(topics, RULES, POLICY + "#FORWARD", "--conntrack", "linux");
        List<ShadowCount> counts = judge(topics);
        assertEquals(PACKETS, packets(counts, Kind.NOT_COMPARED));
        assertEquals(1, counts.size(), counts.toString());
    }

    @Test
    void killsAndOtherParallelismLoseNoPacketAndCountNoneTwice() throws Exception {
        int[] parallelism = {1, 3, 2};
        Topics topics = Topics.of(broker.bootstrap(), "killed").create();
        publish(topics, RULES, edited);
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(
                    List.of(new NewTopic(shadowTopic(topics), Optional.of(1), Optional.empty())));
        }
        int exported = 0;
        for (int i = 0; i < parallelism.length; i++) {
            boolean last = i == parallelism.length - 1;
            long before = sum(topics);
            try (JobProcess job =
                    JobProcess.start(topics, folder, parallelism[i], shadowed(topics))) {
                export(topics);
                exported++;
                long deadline = JobProcess.deadline();
                while (last ? sum(topics) < exported * PACKETS : sum(topics) == before) {
                    job.requireRunning(deadline);
                }
                if (!last) {
                    export(topics); // is judged, or is not, when the kill comes
                    exported++;
                }
                job.kill();
            }
        }
        int times = exported;
        Map<String, List<Long>> expected = whatIf(RULES, edited);
        expected.replaceAll(
                (pair, sum) ->
                        List.of(times * sum.get(0), times * sum.get(1), sum.get(2), sum.get(3)));
        assertEquals(expected, pairs(counts(shadowTopic(topics))));
        assertEquals(times * PACKETS, sum(topics));
        // Without the shadow the job goes on, and its counts stay.
        export(topics);
        try (JobProcess job = JobProcess.start(topics, folder, 2)) {
            long deadline = JobProcess.deadline();
            while (job.newestCheckpoint().isEmpty()) {
                job.requireRunning(deadline);
            }
            job.kill();
        }
        assertEquals(times * PACKETS, sum(topics));
    }

    @Test
    void aPromotedShadowIsInForceAsOneVersion() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "promoted").create();
        publish(topics, RULES, edited);
        Sluice early = topics.run("rules", "promote", "--from", topics.names().rules());
        assertEquals(2, early.status(), early.err());
        Sluice none = topics.run("rules", "promote", "--from", topics.names().verdicts());
        assertEquals(1, none.status(), none.err());
        Sluice gone = topics.run("rules", "promote", "--from", "gone");
        assertTrue(
                gone.err().contains("topic gone does not exist")
                        && gone.err().contains("publish rules first")
                        && gone.err().contains("publish --rules-topic gone\n"),
                gone.err());
        Sluice done = topics.run("rules", "promote", "--from", shadowRules(topics));
        assertEquals(0, done.status(), done.err());
        assertTrue(done.out().contains("as version 2"), done.out());
        Sluice again = topics.run("rules", "promote", "--from", shadowRules(topics));
        assertTrue(again.out().contains("nothing published"), again.out() + again.err());
        List<ShadowCount> counts = judge(topics);
        assertEquals(Map.of(), pairs(counts));
        assertEquals(PACKETS, packets(counts, Kind.SAME));
        Sluice log = topics.run("rules", "log");
        assertEquals(0, log.status(), log.err());
        Sluice back = topics.run("rules", "rollback", "1");
        assertEquals(0, back.status(), back.err());
    }

    private static long sum(Topics topics) throws Exception {
        return sum(counts(shadowTopic(topics)));
    }

    private static long sum(List<ShadowCount> counts) {
        return counts.stream().mapToLong(ShadowCount::packets).sum();
    }
}
