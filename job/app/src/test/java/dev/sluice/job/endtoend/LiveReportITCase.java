package dev.sluice.job.endtoend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.connections.TrackedVerdicts;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.page.Browser;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The page of a running job in a browser: its numbers are those of the commands' JSON. */
@Timeout(300)
class LiveReportITCase {
    private static final Path CAPTURE = TestData.office("office.pcapng.gz");
    private static final String POLICY = TestData.office("office.save") + "#FORWARD";
    private static final Path OTHER = TestData.office("office.ovs");
    private static final long PACKETS = 1057;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @RegisterExtension static final Browser browser = new Browser();

    private static Sluice.Running serve(Topics topics, Object... more) {
        List<Object> words = new ArrayList<>(List.of("serve", "--port", 0));
        words.addAll(List.of("--bootstrap", topics.bootstrap()));
        words.addAll(List.of("--rules-topic", topics.names().rules()));
        words.addAll(List.of("--verdicts-topic", topics.names().verdicts()));
        words.addAll(List.of("--dead-letters-topic", topics.names().deadLetters()));
        words.addAll(List.of(more));
        Sluice.Running server = new Sluice.Running(words.toArray());
        server.await(() -> server.out().contains("Stop it"));
        String address = server.out().replaceAll("(?s).* at (http://localhost:\\d+/).*", "$1");
        browser.script("location.href = arguments[0]", address);
        browser.await("#live:not([hidden])");
        return server;
    }

    private static void export(Topics topics) {
        List<Object> words = new ArrayList<>(List.of("export", CAPTURE));
        words.addAll(TrackedVerdicts.EXPORTED);
        Sluice.ok(topics.run(words.toArray()));
    }

    private static void sendNoMessage(String topic) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaClients(broker.bootstrap()).producer()) {
            producer.send(new ProducerRecord<>(topic, 0, null, "no message".getBytes(UTF_8))).get();
        }
    }

    private static List<JsonNode> json(Object... words) throws IOException {
        return lines(Stream.concat(Stream.of(words), Stream.of("--json")).toArray());
    }

    private static List<JsonNode> lines(Object... words) throws IOException {
        Sluice run =
                Sluice.run(
                        Stream.concat(
                                        Stream.of(words),
                                        Stream.of("--bootstrap", broker.bootstrap()))
                                .toArray());
        assertEquals(0, run.status(), run.err());
        List<JsonNode> rows = new ArrayList<>();
        for (String line : run.out().lines().toList()) {
            rows.add(new ObjectMapper().readTree(line));
        }
        return rows;
    }

    private static void awaitFact(JobProcess job, String name, long number) throws Exception {
        long deadline = JobProcess.deadline();
        while (!"%,d".formatted(number).equals(browser.facts().get(name))) {
            job.requireRunning(deadline);
        }
    }

    private static List<String> numbers(List<JsonNode> rows, String member) {
        return rows.stream().map(row -> "%,d".formatted(row.path(member).asLong())).toList();
    }

    private static List<String> texts(List<JsonNode> rows, String member, String otherwise) {
        return rows.stream().map(row -> row.path(member).asText(otherwise)).toList();
    }

    private static long sum(List<JsonNode> rows) {
        return rows.stream().mapToLong(row -> row.path("packets").asLong()).sum();
    }

    @Test
    void thePageGrowsWithTheJobAndHasTheNumbersOfTheCommands() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "live").create();
        String shadowRules = "live-shadow-rules";
        String shadow = "live-shadow";
        String connections = "live-connections";
        Sluice.ok(topics.run("rules", "publish", "--rules", POLICY, "--conntrack", "linux"));
        Sluice.ok(
                Sluice.run(
                        "rules",
                        "publish",
                        "--rules",
                        OTHER,
                        "--rules-topic",
                        shadowRules,
                        "--bootstrap",
                        topics.bootstrap()));
        Object[] options = {
            "--create-topics",
            "--conntrack",
            "linux",
            "--shadow-rules",
            shadowRules,
            "--shadow-topic",
            shadow,
            "--connections-topic",
            connections,
            "--connections-interval",
            "1ms",
            "--verdict-fields",
            "5-tuple,frame-length"
        };
        try (JobProcess job = JobProcess.start(topics, folder, 2, options);
                Sluice.Running server =
                        serve(
                                topics,
                                "--stats-topic",
                                topics.names().statistics(),
                                "--connections-topic",
                                connections,
                                "--shadow-topic",
                                shadow)) {
            assertEquals("0", browser.facts().get("packets"));
            export(topics);
            sendNoMessage(topics.names().packets());
            awaitFact(job, "packets", PACKETS);
            awaitFact(job, "dead letters", 1);
            long deadline = JobProcess.deadline();
            List<JsonNode> differ = json("rules", "shadow", "--all", "--shadow-topic", shadow);
            while (sum(hits(topics)) < PACKETS || !isShown(differ)) {
                job.requireRunning(deadline);
                differ = json("rules", "shadow", "--all", "--shadow-topic", shadow);
            }
            checkRules(hits(topics));
            checkDenied(topics);
            checkShadow(differ);
            browser.tab("Over time");
            long drawn =
                    browser.texts(".legend .amount").stream()
                            .mapToLong(text -> Long.parseLong(text.replace(",", "")))
                            .sum();
            assertEquals(PACKETS, drawn);
            browser.tab("Dead letters");
            JsonNode letter = lines("cat", topics.names().deadLetters()).get(0);
            assertEquals(
                    List.of(List.of(letter.at("/record/reason").asText(), "1")), browser.rows());
            checkConnections(connections);

            // Search and order stay while the numbers grow.
            browser.tab("Rules");
            browser.all("input[type=search]").get(0).sendKeys("accept");
            browser.press("line");
            List<String> lines = browser.column("line");
            assertTrue(lines.size() > 1);
            export(topics);
            awaitFact(job, "packets", 2 * PACKETS);
            assertEquals(lines, browser.column("line"));
            assertEquals(
                    "accept", browser.all("input[type=search]").get(0).getDomProperty("value"));
            browser.tab("Topics");
            assertEquals(
                    List.of("is read"), browser.column("standing").stream().distinct().toList());
            assertEquals("", browser.texts("#notices").get(0));
            job.kill();

            broker.away(
                    () -> {
                        while (!browser.texts("#notices").get(0).contains("no broker answers")) {
                            Thread.onSpinWait();
                        }
                    });
            assertEquals("%,d".formatted(2 * PACKETS), browser.facts().get("packets"));
            Sluice.ok(topics.run("rules", "publish", "--rules", OTHER));
            while (!"2".equals(browser.facts().get("version of the rules"))) {
                Thread.onSpinWait();
            }
            assertEquals("", browser.texts("#notices").get(0));
            assertEquals(List.of(), browser.complaints());
        }
    }

    private static List<JsonNode> hits(Topics topics) throws IOException {
        return json(
                "rules",
                "hits",
                "--stats-topic",
                topics.names().statistics(),
                "--rules-topic",
                topics.names().rules());
    }

    private static boolean isShown(List<JsonNode> differ) {
        return !differ.isEmpty()
                && "%,d"
                        .formatted(sum(differ))
                        .equals(browser.facts().get("another outcome by the shadow"));
    }

    private static void checkRules(List<JsonNode> hits) {
        browser.tab("Rules");
        while (!numbers(hits, "packets").equals(browser.column("packets"))) {
            Thread.onSpinWait(); // the page is some seconds older than the topic
        }
        assertEquals(numbers(hits, "bytes"), browser.column("bytes"));
        assertEquals(
                String.valueOf(
                        hits.stream().filter(row -> row.path("never_hit").asBoolean()).count()),
                browser.facts().get("rules never hit"));
    }

    private static void checkDenied(Topics topics) throws IOException {
        browser.tab("Denied");
        List<JsonNode> denied =
                json(
                        "verdicts",
                        "--verdicts-topic",
                        topics.names().verdicts(),
                        "--rules-topic",
                        topics.names().rules(),
                        "--outcome",
                        "deny",
                        "--by",
                        "rule,source,service",
                        "--all");
        assertTrue(denied.size() > 5);
        assertEquals(numbers(denied, "packets"), browser.column("packets"));
        assertEquals(numbers(denied, "bytes"), browser.column("bytes"));
        assertEquals(sum(denied), Long.parseLong(browser.facts().get("denied").replace(",", "")));
        assertEquals(
                texts(denied, "source", "no address").stream().sorted().toList(),
                browser.column("source").stream().sorted().toList());
        assertEquals(
                texts(denied, "line", "default").stream().sorted().toList(),
                browser.column("line").stream().sorted().toList());
    }

    private static void checkShadow(List<JsonNode> differ) throws IOException {
        browser.tab("Shadow");
        assertTrue(differ.size() > 3);
        assertEquals(numbers(differ, "packets"), browser.column("packets"));
        assertEquals(numbers(differ, "bytes"), browser.column("bytes"));
        assertEquals(
                texts(differ, "example", "").stream().sorted().toList(),
                browser.column("example").stream().sorted().toList());
        for (String side : List.of("old", "new")) {
            assertEquals(
                    differ.stream().map(row -> row.path(side).path("rule").asText()).toList(),
                    browser.column(side + " rule"));
        }
        JsonPage.assertTells(
                "rules shadow",
                differ.stream().map(JsonNode::toString).collect(Collectors.joining("\n")),
                "headers",
                "headers_at_least",
                "where",
                "where_exact",
                "state");
        assertFalse(differ.get(0).has("connections"));
    }

    private static void checkConnections(String topic) throws IOException {
        browser.tab("Connections");
        long keys = lines("cat", topic).stream().map(row -> row.path("key")).distinct().count();
        assertEquals(keys, browser.rowCount());
    }

    @Test
    void thePageSaysWhatItCannotRead() throws Exception {
        Topics topics = Topics.of(broker.bootstrap(), "poor").create();
        Sluice.ok(topics.run("rules", "publish", "--rules", OTHER));
        sendNoMessage(topics.names().verdicts());
        try (Sluice.Running server = serve(topics, "--stats-topic", "late", "--from", "latest")) {
            String notices = browser.texts("#notices").get(0);
            while (!notices.contains("Topic late does not exist: hits of rules are not known")) {
                notices = browser.texts("#notices").get(0);
            }
            assertFalse(notices.contains("cannot be read"), notices); // it was there before
            sendNoMessage(topics.names().verdicts());
            while (!notices.contains("cannot be read: 1 message, the last at offset 1")) {
                notices = browser.texts("#notices").get(0);
            }
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
                access.createTopics(List.of(KafkaAccess.compactedForATime("late", 1)));
            }
            while (notices.contains("late")) {
                notices = browser.texts("#notices").get(0);
            }
            browser.tab("Rules");
            assertEquals(List.of(), browser.rows());
            assertEquals(List.of(), browser.complaints());
        }
        Sluice none =
                Sluice.run("serve", "--bootstrap", broker.bootstrap(), "--rules-topic", "none");
        assertEquals(1, none.status());
        assertTrue(none.err().contains("topic none does not exist"), none.err());
        assertEquals(2, Sluice.run("serve").status());
    }
}
