package dev.sluice.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads of a real broker, read back. */
@Timeout(180)
class LoadCommandITCase {
    @RegisterExtension static final TestBroker BROKER = new TestBroker();

    private static final int SHARDS = 8;

    @TempDir private Path folder;

    /** What a topic holds. */
    private record Loaded(int headers, int partitionsOfShards, Map<String, Integer> captures) {}

    private static Loaded read(String topic) throws MalformedMessageException {
        BitSet seen = new BitSet();
        long[] lastPacket = new long[SHARDS];
        long[] lastTime = new long[SHARDS];
        Map<Integer, Integer> partitions = new HashMap<>();
        Map<String, Integer> captures = new HashMap<>();
        try (TopicReader reader =
                new TopicReader(new KafkaClients(BROKER.bootstrap()), List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                for (var message : reader.poll(Duration.ofMillis(100))) {
                    PacketBlock block = PacketMessages.decode(message.value(), SHARDS);
                    int shard = block.shard();
                    assertEquals(
                            message.partition(),
                            partitions.computeIfAbsent(shard, s -> message.partition()));
                    captures.merge(block.capture(), block.count(), Integer::sum);
                    Column packets = block.column(Column.PACKET);
                    Column times = block.column(Column.TIME_NS);
                    assertNotNull(packets);
                    assertNotNull(times);
                    for (int i = 0; i < block.count(); i++) {
                        assertTrue(packets.get(i) > lastPacket[shard]);
                        assertTrue(times.get(i) >= lastTime[shard]);
                        lastPacket[shard] = packets.get(i);
                        lastTime[shard] = times.get(i);
                        seen.set(Math.toIntExact(packets.get(i)));
                    }
                }
            }
        }
        int headers = captures.values().stream().mapToInt(n -> n).sum();
        assertEquals(headers, seen.cardinality(), "no number comes twice");
        assertEquals(headers + 1, seen.length(), "from 1 on without a gap");
        return new Loaded(headers, (int) partitions.values().stream().distinct().count(), captures);
    }

    private Path trace(int headers) throws Exception {
        Random random = new Random(TestSeed.of(1));
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            lines.add(
                    "%d\t%d\t%d\t%d\t6"
                            .formatted(
                                    random.nextInt(1 << 30),
                                    random.nextInt(1 << 30),
                                    random.nextInt(65_536),
                                    random.nextInt(65_536)));
        }
        return Files.write(folder.resolve("trace"), lines);
    }

    private static Sluice load(String topic, Object... words) {
        List<Object> line = new ArrayList<>(List.of("load", "--bootstrap", BROKER.bootstrap()));
        line.addAll(List.of("--packets-topic", topic, "--create-topics", "--shards", SHARDS));
        line.addAll(List.of(words));
        return Sluice.run(line.toArray());
    }

    @Test
    void aTraceIsLoadedAsOftenAsItTakes() throws Exception {
        Path trace = trace(700);
        Sluice run =
                load(
                        "trace",
                        "--trace",
                        trace,
                        "--headers",
                        "100.123k",
                        "--block-size",
                        100,
                        "--producers",
                        3,
                        "--partitions",
                        4);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.out().matches("(?s)headers +100123\n.*"), run.out());
        Loaded loaded = read("trace");
        assertEquals(Map.of(trace.toString(), 100_123), loaded.captures());
        assertTrue(loaded.partitionsOfShards() > 1);
    }

    @Test
    void aCaptureIsLoadedAsOftenAsItTakes() throws Exception {
        Path capture = TestData.office("office.pcapng.gz");
        Sluice run = load("capture", capture, "--headers", "20k", "--name", "office");
        assertEquals(0, run.status(), run.err());
        assertEquals(Map.of("office", 20_000), read("capture").captures());
    }

    @Test
    void headersAreGeneratedForRules() throws Exception {
        Path rules =
                Files.writeString(
                        folder.resolve("r"), "@10.0.0.0/8 0.0.0.0/0 0 : 65535 25 : 25 0x06/0xFF\n");
        Sluice run = load("rules", "--rules", rules, "--headers", 5_000, "--json");
        assertEquals(0, run.status(), run.err());
        JsonPage.assertTells("load", run.out());
        assertEquals(5_000, read("rules").headers());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "lz4", "zstd", "snappy"})
    void messagesAreCompressed(String kind) throws Exception {
        Sluice run =
                load("of-" + kind, "--trace", trace(99), "--headers", 3_000, "--compression", kind);
        assertEquals(0, run.status(), run.err());
        assertEquals(3_000, read("of-" + kind).headers());
    }

    @Test
    void aTopicIsKeptToItsBound() throws Exception {
        Path trace = trace(10);
        Sluice run = load("bounded", "--trace", trace, "--headers", 10, "--keep", "32m");
        assertEquals(0, run.status(), run.err());
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, "bounded");
        try (Admin admin =
                Admin.create(
                        Map.of(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                (Object) BROKER.bootstrap()))) {
            var config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
            assertEquals("33554432", config.get("retention.bytes").value());
            assertEquals("4194304", config.get("segment.bytes").value());
            assertEquals("1000", config.get("file.delete.delay.ms").value());
        }
        Sluice again = load("bounded", "--trace", trace, "--headers", 10, "--keep", "64m");
        assertEquals(0, again.status(), again.err());
        assertTrue(again.err().contains("topic bounded is there already"), again.err());
    }

    @Test
    void aTopicThatIsMissingIsNamed() throws Exception {
        Sluice run =
                Sluice.run(
                        "load",
                        "--trace",
                        trace(1),
                        "--bootstrap",
                        BROKER.bootstrap(),
                        "--packets-topic",
                        "nowhere");
        assertEquals(1, run.status());
        assertTrue(run.err().contains("topic nowhere does not exist"), run.err());
        assertTrue(run.err().contains("--create-topics"), run.err());
    }

    @Test
    void aLoadThatIsStoppedTellsWhatItHasStored() throws Exception {
        Path trace = trace(500);
        assertEquals(0, load("stopped", "--trace", trace, "--headers", 1).status());
        try (TopicReader reader =
                        new TopicReader(new KafkaClients(BROKER.bootstrap()), List.of("stopped"));
                Sluice.Running load =
                        new Sluice.Running(
                                "load",
                                "--trace",
                                trace,
                                "--bootstrap",
                                BROKER.bootstrap(),
                                "--packets-topic",
                                "stopped",
                                "--shards",
                                SHARDS,
                                "--rate",
                                "500k",
                                "--block-size",
                                500)) {
            long[] seen = {0};
            load.await(
                    () -> {
                        reader.poll(Duration.ofMillis(20)).forEach(message -> seen[0]++);
                        return seen[0] > 10;
                    });
            load.close();
            String out = load.out();
            assertTrue(out.startsWith("headers "), () -> out + load.err());
            assertTrue(out.matches("(?s).*wanted_per_second +500000.*"), out);
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                reader.poll(Duration.ofMillis(20)).forEach(message -> seen[0]++);
            }
            String blocks = "(?s).*\\nblocks +%d\\n.*".formatted(seen[0] - 1);
            assertTrue(out.matches(blocks), () -> out + " and not " + blocks);
        }
    }

    /** By a clock of the test's: what a second brings does not depend on the machine. */
    @Test
    void theRateIsKept() throws Exception {
        FakeClock clock = new FakeClock();
        LoadHeaders source = LoadHeaders.of(HeaderTrace.read(trace(1_000)));
        BlockCycle cycle =
                new BlockCycle(source, new BlockCycle.Cut("made", SHARDS, 100), Long.MAX_VALUE);
        assertEquals(0, load("rated", "--trace", trace(1), "--headers", 1).status());
        Pacer pacer = new Pacer(200_000, 2_000_000_000L, clock);
        TopicLoad.Target target =
                new TopicLoad.Target(
                        new KafkaClients(BROKER.bootstrap()),
                        "rated",
                        CompressionType.NONE,
                        1,
                        SHARDS);
        try (TopicLoad load = new TopicLoad(target, i -> cycle.feed(i, 1), pacer, Long.MAX_VALUE)) {
            while (!load.await(1_000)) {
                // it goes on
            }
            assertEquals(400_000, load.count().headers(), 100);
            assertTrue(load.count().lastNanos() <= 2_000_000_000L);
        }
    }
}
