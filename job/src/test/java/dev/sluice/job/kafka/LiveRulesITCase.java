package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A live job in event time against a real broker, in a process of its own that is killed. */
@Timeout(300)
class LiveRulesITCase {
    private static final int SHARDS = 64;
    private static final int COUNT = 20;

    /** Times of this test begin here, long before that of the clock. */
    private static final long START = 1_700_000_000_000_000_000L;

    private static final long SECOND = 1_000_000_000L;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Verdicts by packet, as {@code version status}. */
    private final Map<Long, String> verdicts = new TreeMap<>();

    private long sent;

    @BeforeAll
    static void start() {
        try (KafkaAccess access = new KafkaAccess(broker.bootstrap())) {
            access.createTopics(KafkaAccess.newTopics(TopicNames.defaults(), 3));
        }
    }

    private static Object[] words(Object... words) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--bootstrap", broker.bootstrap()));
        return all.toArray();
    }

    private static Sluice ok(Object... words) {
        Sluice run = Sluice.run(words(words));
        assertEquals(0, run.status(), run.err());
        return run;
    }

    /** Packets of all shards at a time of this test; packet n goes to port n mod 4. */
    private void send(MessageProducer producer, long timeNs) {
        for (int shard = 0; shard < SHARDS; shard++) {
            int[] ip = new int[COUNT];
            int[] ports = new int[COUNT];
            long[] packets = new long[COUNT];
            long[] times = new long[COUNT];
            for (int i = 0; i < COUNT; i++) {
                packets[i] = ++sent;
                times[i] = START + timeNs;
                ip[i] =
                        Field.IP_VERSION.place(Field.VERSION_4)
                                | Field.IP_PROTO.place(6)
                                | Field.PORTS_PRESENT.place(1);
                ports[i] = (int) (sent % 4);
            }
            PacketBlock block =
                    new PacketBlock(
                            "made",
                            0,
                            shard,
                            SHARDS,
                            COUNT,
                            List.of(
                                    Column.ofWords(HeaderWord.IP, ip, 0, COUNT),
                                    Column.ofWords(HeaderWord.PORTS, ports, 0, COUNT),
                                    Column.ofLongs(Column.PACKET, packets, 0, COUNT),
                                    Column.ofLongs(Column.TIME_NS, times, 0, COUNT)));
            producer.send(TopicNames.PACKETS, PacketExporter.key(shard), block.encode());
        }
        producer.flush();
    }

    private static void publish(Path rules, int port, long fromNs) throws IOException {
        Files.writeString(
                rules,
                "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF%n".formatted(port, port));
        ok("rules", "publish", "--rules", rules, "--effective", START + fromNs);
    }

    private static void heartbeat(long untilNs) {
        ok("rules", "heartbeat", "--time", START + untilNs);
    }

    private static JobProcess job(int parallelism) throws IOException {
        Path checkpoints = folder.resolve("checkpoints");
        return new JobProcess(
                checkpoints,
                folder.resolve("job.log"),
                words(
                        "run",
                        "--from",
                        "earliest",
                        "--rules-time",
                        "event",
                        "--rules-idle",
                        "none",
                        "--checkpoints",
                        checkpoints,
                        "--checkpoint-interval",
                        200,
                        "--parallelism",
                        parallelism));
    }

    /** Reads on until verdicts on so many packets are committed. */
    private void await(JobProcess job, TopicReader reader, long count) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        while (verdicts.size() < count) {
            read(reader);
            job.requireRunning();
            if (System.nanoTime() > deadline) {
                throw new AssertionError(
                        verdicts.size() + " verdicts of " + count + ":\n" + job.printed());
            }
        }
    }

    private void read(TopicReader reader) throws MalformedMessageException {
        for (var message : reader.poll(Duration.ofMillis(100))) {
            VerdictBlock block = VerdictBlock.decode(message.value());
            for (int i = 0; i < block.count(); i++) {
                String verdict =
                        block.versionOf(i)
                                + (block.ruleId(i) == null ? " miss " : " hit ")
                                + block.status(i);
                long packet = block.packets().get(i);
                assertEquals(null, verdicts.put(packet, verdict), "packet " + packet + " twice");
            }
        }
    }

    /** Waits for checkpoints that begin after now: what has come by now is in them. */
    private static void awaitCheckpoints(JobProcess job) throws Exception {
        long first = -1;
        long deadline = System.nanoTime() + Duration.ofSeconds(100).toNanos();
        while (true) {
            Optional<JobProcess.Checkpoint> newest = job.newestCheckpoint();
            if (newest.isPresent()) {
                first = first < 0 ? newest.get().id() : first;
                if (newest.get().id() > first + 10) {
                    return;
                }
            }
            job.requireRunning();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no checkpoints complete:\n" + job.printed());
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void packetsAheadOfTheRulesWaitThroughCheckpointsAndAKill() throws Exception {
        Path rules = folder.resolve("rules");
        long each = (long) SHARDS * COUNT;
        publish(rules, 1, 0);
        try (MessageProducer producer = new MessageProducer(broker.bootstrap())) {
            try (TopicReader reader =
                    new TopicReader(broker.bootstrap(), List.of(TopicNames.VERDICTS))) {
                send(producer, -SECOND);
                try (JobProcess job = job(2)) {
                    await(job, reader, each);
                    send(producer, SECOND); // of which the rules are not known
                    awaitCheckpoints(job);
                    read(reader);
                    assertEquals(each, verdicts.size(), "packets were judged before their rules");
                    job.kill();
                }
                try (JobProcess job = job(3)) {
                    send(producer, 2 * SECOND);
                    heartbeat(SECOND);
                    await(job, reader, 2 * each);
                    publish(rules, 2, 2 * SECOND);
                    awaitCheckpoints(job);
                    read(reader);
                    assertEquals(2 * each, verdicts.size(), "another version may have that time");
                    heartbeat(3 * SECOND);
                    await(job, reader, 3 * each);
                    job.kill();
                }
            }
        }
        verdicts.forEach(
                (packet, verdict) -> {
                    long which = (packet - 1) / each;
                    String hit = packet % 4 == which ? "hit" : "miss";
                    String expected = which == 0 ? "0 miss NO_RULES" : which + " " + hit + " OK";
                    assertEquals(expected, verdict, "packet " + packet);
                });
        Sluice refused =
                Sluice.run(
                        words(
                                "rules",
                                "publish",
                                "--rules",
                                Files.writeString(
                                        folder.resolve("late"),
                                        "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t7 : 7\t0x06/0xFF\n"),
                                "--effective",
                                START + 3 * SECOND));
        assertEquals(1, refused.status());
        assertTrue(refused.err().contains("up to which a heartbeat says"), refused.err());
    }
}
