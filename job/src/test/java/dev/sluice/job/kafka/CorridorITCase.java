package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestData;
import dev.sluice.job.cli.Main;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The parts apart, against one broker: export, rules publish, run; failures and bad records. */
@Timeout(240)
class CorridorITCase {
    @TempDir static Path folder;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.start(folder, 0);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static Object[] topics(String prefix, Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(
                List.of(
                        "--bootstrap",
                        broker.bootstrap(),
                        "--packets-topic",
                        prefix + "-p",
                        "--rules-topic",
                        prefix + "-r",
                        "--verdicts-topic",
                        prefix + "-v",
                        "--dead-letters-topic",
                        prefix + "-d",
                        "--create-topics"));
        return all.toArray();
    }

    private static Sluice sluice(String prefix, Object... words) {
        Sluice run = Sluice.run(topics(prefix, words));
        assertEquals(0, run.status(), run.err());
        return run;
    }

    private static List<byte[]> read(String topic) {
        List<byte[]> messages = new ArrayList<>();
        try (TopicReader reader = new TopicReader(broker.bootstrap(), List.of(topic))) {
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
        sluice("apart", "rules", "publish", "--rules", TestData.office("office.ovs"));
        sluice("apart", "export", "--format", "records", capture);
        Path temporary = Files.createDirectory(folder.resolve("apart-temporary"));
        String before = System.setProperty("java.io.tmpdir", temporary.toString());
        try {
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
                    "apart");
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
        Sluice longTransaction = Sluice.run(topics("absent", "run", "--transaction-timeout", 1000));
        assertEquals(1, longTransaction.status());
        assertTrue(
                longTransaction.err().contains("transaction.max.timeout.ms"),
                longTransaction.err());
    }

    @Test
    void badRecordsBecomeDeadLettersAndTheJobGoesOn() throws Exception {
        sluice("bad", "rules", "publish", "--rules", TestData.office("office.ovs"));
        try (MessageProducer producer = new MessageProducer(broker.bootstrap())) {
            byte[] good = block(0, 1, 10).encode();
            producer.send("bad-p", null, good);
            producer.send("bad-p", null, "not avro at all".getBytes(StandardCharsets.UTF_8));
            producer.send("bad-p", null, java.util.Arrays.copyOf(good, good.length - 5));
            producer.send(
                    "bad-p", null, new Verdict("c", 0, 1, 0, null, null, null, "a", 1).encode());
            producer.send("bad-p", null, new byte[0]);
            producer.send("bad-p", null, block(0, 11, 10).encode());
            producer.send("bad-r", null, "neither a rule".getBytes(StandardCharsets.UTF_8));
            producer.flush();
        }
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

    private static PacketBlock block(int shard, long first, int count) {
        int[] ip = new int[count];
        int[] ports = new int[count];
        long[] packets = new long[count];
        for (int i = 0; i < count; i++) {
            packets[i] = first + i;
            ip[i] =
                    Field.IP_VERSION.place(Field.VERSION_4)
                            | Field.IP_PROTO.place(6)
                            | Field.PORTS_PRESENT.place(1);
            ports[i] = (int) ((first + i) % 60_000);
        }
        return new PacketBlock(
                "made",
                0,
                shard,
                64,
                count,
                List.of(
                        Column.ofWords(HeaderWord.IP, ip, 0, count),
                        Column.ofWords(HeaderWord.PORTS, ports, 0, count),
                        Column.ofLongs(Column.PACKET, packets, 0, count)));
    }

    @Test
    void aRuleSetOfAHundredThousandRulesPublishesAndLoads() throws Exception {
        Path rules = folder.resolve("large.rules");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            lines.add(
                    "@10.%d.%d.%d/32\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF"
                            .formatted(i >> 16, i >> 8 & 255, i & 255, i % 60_000, i % 60_000));
        }
        lines.set(99_999, "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t0 : 65535\t0x00/0x00");
        Files.write(rules, lines);
        sluice("large", "rules", "publish", "--rules", rules);
        sluice("large", "rules", "publish", "--rules", rules);
        try (MessageProducer producer = new MessageProducer(broker.bootstrap())) {
            producer.send("large-p", null, block(1, 1, 100).encode());
            producer.flush();
        }
        sluice(
                "large",
                "run",
                "--bounded",
                "--from",
                "earliest",
                "--algorithm",
                "tuple",
                "--transactional-id-prefix",
                "large",
                "--group",
                "large");
        VerdictBlock verdicts = VerdictBlock.decode(read("large-v").get(0));
        assertEquals(2, verdicts.version());
        assertEquals(1, verdicts.rules().length);
        assertEquals(100, verdicts.count());
        assertEquals(1, verdicts.ruleIndexes().get(99));
    }

    /**
     * A job in a process of its own is killed with SIGKILL twice and resumed with another
     * parallelism.
     */
    @Test
    void nothingIsLostOrDoubledThroughKillMinusNine() throws Exception {
        int blocks = 4000;
        int count = 250;
        sluice("kill", "rules", "publish", "--rules", TestData.office("office.ovs"));
        Path checkpoints = folder.resolve("kill-checkpoints");
        Process job = startJob(checkpoints, 1);
        try {
            try (MessageProducer producer = new MessageProducer(broker.bootstrap())) {
                for (int b = 0; b < blocks; b++) {
                    producer.send(
                            "kill-p",
                            PacketExporter.key(b % 64),
                            block(b % 64, 1L + (long) b * count, count).encode());
                    if (b == blocks / 3 || b == 2 * blocks / 3) {
                        producer.flush();
                        long seen = committed();
                        awaitUntil(() -> committed() > seen || committed() > 0);
                        job.destroyForcibly().waitFor();
                        job = startJob(checkpoints, b == blocks / 3 ? 3 : 2);
                    }
                }
                producer.flush();
            }
            awaitUntil(() -> committed() >= (long) blocks * count);
        } finally {
            job.destroyForcibly().waitFor();
        }
        Map<Long, Integer> times = new HashMap<>();
        for (byte[] message : read("kill-v")) {
            VerdictBlock verdicts = VerdictBlock.decode(message);
            for (int i = 0; i < verdicts.count(); i++) {
                times.merge(verdicts.packets().get(i), 1, Integer::sum);
            }
        }
        assertEquals(blocks * count, times.size(), "packets lost");
        assertEquals(
                0, times.values().stream().filter(n -> n != 1).count(), "packets answered twice");
        assertEquals(List.of(), read("kill-d"));
    }

    private static long committed() {
        try {
            long packets = 0;
            for (byte[] message : read("kill-v")) {
                packets += VerdictBlock.decode(message).count();
            }
            return packets;
        } catch (dev.sluice.schemas.codec.MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(150).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "the condition was not met in time");
            Thread.onSpinWait();
        }
    }

    private static Process startJob(Path checkpoints, int parallelism) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx700m",
                                "--add-opens=java.base/java.util=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        for (Object word :
                topics(
                        "kill",
                        "run",
                        "--from",
                        "earliest",
                        "--checkpoints",
                        checkpoints,
                        "--checkpoint-interval",
                        200,
                        "--parallelism",
                        parallelism,
                        "--transactional-id-prefix",
                        "kill",
                        "--group",
                        "kill")) {
            command.add(word.toString());
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("kill.log").toFile()))
                .start();
    }
}
