package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.Verdicts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The parts apart, against one broker: export, rules publish, run; failures and bad records. */
@Timeout(360)
class CorridorITCase {
    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Runs a command against topics whose names begin with a prefix, and makes them first. */
    private static Sluice sluice(String prefix, Object... words) {
        Sluice run = topics(prefix).create().run(words);
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static Topics topics(String prefix) {
        return Topics.of(broker.bootstrap(), prefix);
    }

    private static List<byte[]> read(String topic) {
        List<byte[]> messages = new ArrayList<>();
        try (TopicReader reader =
                new TopicReader(new KafkaClients(broker.bootstrap()), List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                reader.poll(Duration.ofMillis(100)).forEach(m -> messages.add(m.value()));
            }
        }
        return messages;
    }

    @Test
    void exportPublishAndRunWorkApartInRecordsToo() throws Exception {
        Path capture = TestData.office("office.pcapng.gz");
        Path rules = TestData.office("office.ovs");
        Sluice published = sluice("apart", "rules", "publish", "--rules", rules, "--json");
        JsonPage.assertTells("rules publish", published.out(), "rule_id", "rule");
        Sluice exported = sluice("apart", "export", "--format", "records", capture, "--json");
        JsonPage.assertTells("export", exported.out());
        Path temporary = Files.createDirectory(folder.resolve("apart-temporary"));
        String before = System.setProperty("java.io.tmpdir", temporary.toString());
        try {
            Sluice judged =
                    sluice(
                            "apart",
                            "run",
                            "--bounded",
                            "--from",
                            "earliest",
                            "--verdict-format",
                            "records",
                            "--transactional-id-prefix",
                            "apart",
                            "--group",
                            "apart",
                            "--json");
            JsonPage.assertTells("run", judged.out(), "dead_letters.*", "refused_versions[]");
        } finally {
            System.setProperty("java.io.tmpdir", before);
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertEquals(
                    List.of(),
                    left.filter(p -> p.getFileName().toString().startsWith("sluice-")).toList());
        }
        Map<Long, String> seen = new TreeMap<>();
        for (byte[] message : read("apart-v")) {
            Verdict v = Verdict.decode(message);
            String verdict =
                    "%s\t%s\t%s"
                            .formatted(
                                    v.line() == null ? "" : v.line(),
                                    v.priority() == null ? "" : v.priority(),
                                    v.action());
            assertEquals(null, seen.put(v.packet(), verdict));
        }
        List<String> expected = Files.readAllLines(TestData.office("office.verdicts.tsv"));
        assertEquals(expected.size() - 1, seen.size());
        for (String line : expected.subList(1, expected.size())) {
            String[] cells = line.split("\t", 2);
            assertEquals(cells[1], seen.get(Long.parseLong(cells[0])), "packet " + cells[0]);
        }
    }

    @Test
    void anAbsentTopicAndTooLongATransactionAreNamedBeforeAnythingStarts() {
        Sluice absent =
                Sluice.run(
                        "export",
                        TestData.office("office.pcapng.gz"),
                        "--bootstrap",
                        broker.bootstrap(),
                        "--packets-topic",
                        "nowhere");
        assertEquals(1, absent.status());
        assertTrue(
                absent.err().contains("nowhere") && absent.err().contains("--create-topics"),
                absent.err());
        assertEquals(1, absent.err().lines().count(), absent.err());
        Sluice longTransaction =
                topics("absent").run("run", "--transaction-timeout", 1000, "--create-topics");
        assertEquals(1, longTransaction.status());
        assertTrue(
                longTransaction.err().contains("transaction.max.timeout.ms"),
                longTransaction.err());
    }

    @Test
    void badRecordsBecomeDeadLettersAndTheJobGoesOn() throws Exception {
        sluice("bad", "rules", "publish", "--rules", TestData.office("office.ovs"));
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            byte[] good = PacketStream.block(0, 1, 10).encode();
            producer.send("bad-p", null, good);
            producer.send("bad-p", null, "not avro at all".getBytes(StandardCharsets.UTF_8));
            producer.send("bad-p", null, java.util.Arrays.copyOf(good, good.length - 5));
            producer.send(
                    "bad-p", null, Verdicts.of("c", 0, 1, 0, null, null, null, "a", 1).encode());
            producer.send("bad-p", null, new byte[0]);
            producer.send("bad-p", null, PacketStream.block(0, 11, 10).encode());
            producer.send("bad-r", null, "neither a rule".getBytes(StandardCharsets.UTF_8));
            producer.flush();
        }
        Sluice run =
                sluice(
                        "bad",
                        "run",
                        "--bounded",
                        "--from",
                        "earliest",
                        "--transactional-id-prefix",
                        "bad",
                        "--group",
                        "bad");
        assertEquals(
                List.of(
                        "20 packets judged by rules",
                        "5 dead letters",
                        "3   message: not Avro",
                        "1   message: truncated or corrupt",
                        "1   message: wrong schema"),
                run.out().lines().map(String::strip).toList());
        Sluice log = topics("bad").run("rules", "log");
        assertTrue(log.out().contains("refused by job bad: message: not Avro"), log.out());
        int verdicts = 0;
        for (byte[] message : read("bad-v")) {
            verdicts += VerdictBlock.decode(message).count();
        }
        assertEquals(20, verdicts);
        Map<String, Integer> reasons = new TreeMap<>();
        for (byte[] message : read("bad-d")) {
            DeadLetter letter = DeadLetter.decode(message);
            assertTrue(
                    letter.message() != null && letter.message().offset() >= 0, letter.toString());
            reasons.merge(letter.message().topic() + " " + letter.reason(), 1, Integer::sum);
        }
        assertEquals(
                Map.of(
                        "bad-p message: not Avro", 2,
                        "bad-p message: truncated or corrupt", 1,
                        "bad-p message: wrong schema", 1,
                        "bad-r message: not Avro", 1),
                reasons);
    }

    @Test
    void aRuleSetOfManyRulesPublishesAndLoads() throws Exception {
        assertPublishesAndLoads("many", 20_000);
    }

    @Tag("long")
    @Test
    void aRuleSetOfAHundredThousandRulesPublishesAndLoads() throws Exception {
        assertPublishesAndLoads("large", 100_000);
    }

    private static void assertPublishesAndLoads(String name, int count) throws Exception {
        Path rules = folder.resolve(name + ".rules");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(
                    "@10.%d.%d.%d/32\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF"
                            .formatted(i >> 16, i >> 8 & 255, i & 255, i % 60_000, i % 60_000));
        }
        lines.set(count - 1, "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00");
        Files.write(rules, lines);
        sluice(name, "rules", "publish", "--rules", rules, "--algorithm", "tuple");
        sluice(name, "rules", "publish", "--rules", rules, "--algorithm", "tuple", "--snapshot");
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            producer.send(name + "-p", null, PacketStream.block(1, 1, 100).encode());
            producer.flush();
        }
        sluice(
                name,
                "run",
                "--bounded",
                "--from",
                "earliest",
                "--algorithm",
                "tuple",
                "--transactional-id-prefix",
                name,
                "--group",
                name);
        VerdictBlock verdicts = VerdictBlock.decode(read(name + "-v").get(0));
        assertEquals(2, verdicts.version());
        assertEquals(1, verdicts.rules().length);
        assertEquals(100, verdicts.count());
        assertEquals(1, verdicts.ruleIndexes().get(99));
    }

    /** A job in a process of its own is killed at work, and resumed with another parallelism. */
    @Test
    void nothingIsLostOrDoubledThroughKillMinusNine() throws Exception {
        sluice("kill", "rules", "publish", "--rules", TestData.office("office.ovs"));
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                PacketCount verdicts = new PacketCount(broker.bootstrap(), "kill-v")) {
            PacketStream packets = new PacketStream(producer, "kill-p");
            long checkpoint = 0;
            for (int parallelism : new int[] {3}) {
                try (JobProcess job = JobProcess.start(topics("kill"), folder, parallelism)) {
                    checkpoint = awaitWork(job, parallelism, checkpoint, packets, verdicts);
                    packets.send(200);
                    producer.flush();
                    job.kill();
                }
                verdicts.pollToEnd();
                assertTrue(
                        verdicts.answered() < packets.sent(),
                        "all verdicts were committed: the kill hit an idle job");
            }
            try (JobProcess job = JobProcess.start(topics("kill"), folder, 2)) {
                awaitWork(job, 2, checkpoint, packets, verdicts);
                long deadline = JobProcess.deadline();
                while (verdicts.answered() < packets.sent() || counted() < packets.sent()) {
                    verdicts.poll();
                    job.requireRunning(deadline);
                }
                job.kill();
            }
            verdicts.pollToEnd();
            assertEquals(packets.sent(), verdicts.answered(), "packets lost");
            assertEquals(packets.sent(), verdicts.last());
            assertEquals(0, verdicts.doubled(), "packets answered twice");
            assertEquals(packets.sent(), counted(), "packets counted twice");
        }
        assertEquals(List.of(), read("kill-d"));
    }

    /** Packets that the committed statistics are of. */
    private static long counted() throws MalformedMessageException {
        Map<String, Long> newest = new TreeMap<>();
        try (TopicReader reader =
                new TopicReader(new KafkaClients(broker.bootstrap()), List.of("kill-s"))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (var message : reader.poll(Duration.ofMillis(100))) {
                    newest.put(
                            new String(message.key(), StandardCharsets.UTF_8),
                            RuleStatistics.decode(message.value()).packets());
                }
            }
        }
        return newest.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Sends packets until the job has committed verdicts on some that were sent after its start,
     * and has completed a checkpoint later than the last one before it.
     *
     * @return the number of the checkpoint
     */
    private static long awaitWork(
            JobProcess job,
            int parallelism,
            long lastCheckpoint,
            PacketStream packets,
            PacketCount verdicts)
            throws Exception {
        int sentBefore = packets.sent();
        Optional<JobProcess.Checkpoint> checkpoint = Optional.empty();
        long deadline = JobProcess.deadline();
        while (checkpoint.isEmpty() || verdicts.last() <= sentBefore) {
            packets.send(5);
            verdicts.poll();
            checkpoint = job.newestCheckpoint();
            job.requireRunning(deadline);
        }
        assertEquals(parallelism, checkpoint.get().parallelism());
        assertTrue(
                checkpoint.get().id() > lastCheckpoint,
                checkpoint.get() + " does not go on from checkpoint " + lastCheckpoint);
        return checkpoint.get().id();
    }
}
