package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.BlockBuilder;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A live job in event time against a real broker, in a process of its own that is killed. */
@Timeout(300)
class LiveRulesITCase {
    private static final int SHARDS = 64;
    private static final int COUNT = 20;

    /** Packets of one {@link #send}. */
    private static final int EACH = SHARDS * COUNT;

    /** Times of this test begin here, long before that of the clock. */
    private static final long START = 1_700_000_000_000_000_000L;

    private static final long SECOND = 1_000_000_000L;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Verdicts by packet, as {@code version status}. */
    private final Map<Long, String> verdicts = new TreeMap<>();

    /** Times of the packets that were sent, one for each {@link #send}. */
    private final List<Long> times = new ArrayList<>();

    private long sent;
    private long sentBytes;

    /** Those of the test, which are named after it. */
    private Topics topics;

    private Path rules;

    private void begin(String name) {
        topics = Topics.of(broker.bootstrap(), name).create();
        rules = folder.resolve(name + ".rules");
    }

    private void ok(Object... words) {
        Sluice run = topics.run(words);
        assertEquals(0, run.status(), run.err());
    }

    /** Packets of all shards at a time of this test; packet n goes to port n mod 4. */
    private void send(MessageProducer producer, long timeNs) {
        times.add(timeNs);
        for (int shard = 0; shard < SHARDS; shard++) {
            BlockBuilder headers = new BlockBuilder(shard, SHARDS, COUNT);
            for (int i = 0; i < COUNT; i++) {
                int[] header = new int[HeaderWord.COUNT];
                header[HeaderWord.IP] =
                        Field.IP_VERSION.place(Field.VERSION_4)
                                | Field.IP_PROTO.place(6)
                                | Field.PORTS_PRESENT.place(1);
                header[HeaderWord.PORTS] = (int) (++sent % 4);
                headers.add(header, sent, START + timeNs, 0);
            }
            byte[] message = headers.take("made", 0).encode();
            sentBytes += message.length;
            producer.send(topics.names().packets(), PacketExporter.key(shard), message);
        }
        producer.flush();
    }

    private void publish(int port, long fromNs) throws IOException {
        rulesOf(port);
        ok("rules", "publish", "--rules", rules, "--effective", START + fromNs);
    }

    private void rulesOf(int port) throws IOException {
        Files.writeString(
                rules,
                "@0.0.0.0/0\t0.0.0.0/0\t0 : 65535\t%d : %d\t0x06/0xFF%n".formatted(port, port));
    }

    private void heartbeat(long untilNs) {
        ok("rules", "heartbeat", "--time", START + untilNs);
    }

    /** In event time. */
    private JobProcess job(int parallelism, Object... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("--rules-time", "event"));
        words.addAll(List.of(more));
        return JobProcess.start(topics, folder, parallelism, words.toArray());
    }

    private TopicReader verdictReader() {
        return new TopicReader(
                new KafkaClients(broker.bootstrap()), List.of(topics.names().verdicts()));
    }

    /** Reads on until verdicts on so many packets are committed. */
    private void await(JobProcess job, TopicReader reader, long count) throws Exception {
        long deadline = JobProcess.deadline();
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
        long deadline = JobProcess.deadline();
        while (true) {
            Optional<JobProcess.Checkpoint> newest = job.newestCheckpoint();
            if (newest.isPresent()) {
                first = first < 0 ? newest.get().id() : first;
                if (newest.get().id() > first + 5) {
                    return;
                }
            }
            job.requireRunning();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no checkpoints complete:\n" + job.printed());
            }
            Await.pause();
        }
    }

    /** Every packet has the verdict of its time, where version 1 begins at 0. */
    private void requireRightVerdicts(long secondVersionNs) {
        assertEquals(sent, verdicts.size());
        verdicts.forEach(
                (packet, verdict) -> {
                    long time = times.get((int) ((packet - 1) / EACH));
                    int version = time < 0 ? 0 : time < secondVersionNs ? 1 : 2;
                    String hit = packet % 4 == version ? "hit" : "miss";
                    String expected =
                            version == 0 ? "0 miss NO_RULES" : version + " " + hit + " OK";
                    assertEquals(expected, verdict, "packet " + packet);
                });
    }

    @Test
    void packetsAheadOfTheRulesWaitThroughCheckpointsAndAKill() throws Exception {
        begin("waiting");
        publish(1, 0);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                TopicReader reader = verdictReader()) {
            send(producer, -SECOND);
            try (JobProcess job = job(2, "--rules-idle", "none")) {
                await(job, reader, EACH);
                send(producer, SECOND); // of which the rules are not known
                awaitCheckpoints(job);
                read(reader);
                assertEquals(EACH, verdicts.size(), "packets were judged before their rules");
                job.kill();
            }
            try (JobProcess job = job(3, "--rules-idle", "none")) {
                send(producer, 2 * SECOND);
                heartbeat(SECOND);
                await(job, reader, 2 * EACH);
                publish(2, 2 * SECOND);
                awaitCheckpoints(job);
                read(reader);
                assertEquals(2 * EACH, verdicts.size(), "another version may have that time");
                heartbeat(3 * SECOND);
                await(job, reader, 3 * EACH);
                job.kill();
            }
        }
        requireRightVerdicts(2 * SECOND);
        rulesOf(7);
        Sluice refused =
                topics.run("rules", "publish", "--rules", rules, "--effective", START + 3 * SECOND);
        assertEquals(1, refused.status());
        assertTrue(refused.err().contains("up to which a heartbeat says"), refused.err());
    }

    /** What waits for rules of its time is then judged by the newest. */
    @Tag("long")
    @Test
    void aJobGoesOnByTheOtherTimeOfItsRules() throws Exception {
        begin("other");
        publish(1, 0);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                TopicReader reader = verdictReader()) {
            send(producer, -SECOND);
            try (JobProcess job = job(2, "--rules-idle", "none")) {
                await(job, reader, EACH);
                send(producer, SECOND); // waits
                awaitCheckpoints(job);
                job.kill();
            }
            read(reader);
            assertEquals(EACH, verdicts.size(), "packets were judged before their rules");
            try (JobProcess job = JobProcess.start(topics, folder, 2)) {
                await(job, reader, 2 * EACH);
                publish(2, 2 * SECOND);
                awaitCheckpoints(job);
                send(producer, 3 * SECOND);
                await(job, reader, 3 * EACH);
                job.kill();
            }
            try (JobProcess job = job(1, "--rules-idle", "none")) {
                send(producer, 4 * SECOND);
                awaitCheckpoints(job);
                read(reader);
                assertEquals(3 * EACH, verdicts.size(), "packets were judged before their rules");
                heartbeat(4 * SECOND);
                await(job, reader, 4 * EACH);
                job.kill();
            }
        }
        requireRightVerdicts(2 * SECOND);
        try (TopicReader letters =
                new TopicReader(
                        new KafkaClients(broker.bootstrap()),
                        List.of(topics.names().deadLetters()))) {
            var ends = letters.ends();
            while (!letters.reached(ends)) {
                assertEquals(0, letters.poll(Duration.ofMillis(100)).count(), "dead letters");
            }
        }
    }

    /**
     * The sources read some packets beyond the drift, until alignment has told them; then they read
     * no more, however many come, while checkpoints complete. All bytes of these packets would not
     * fit into what may wait in the job.
     */
    @Test
    void packetsFarAheadOfTheRulesStayInKafkaUntilTheRulesFollow() throws Exception {
        begin("drifting");
        int waitingBytes = 256 << 10;
        long farNs = 10 * SECOND;
        publish(1, 0);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                TopicReader reader = verdictReader();
                JobProcess job =
                        job(
                                2,
                                "--rules-idle",
                                "none",
                                "--rules-drift",
                                "1s",
                                "--waiting-bytes",
                                waitingBytes)) {
            send(producer, -SECOND);
            await(job, reader, EACH);
            heartbeat(0); // the first message after the start: from it on, rules hold packets back
            awaitCheckpoints(job);
            long stateBytes;
            do {
                assertTrue(times.size() < 8, "packets are read whatever the rules have said");
                stateBytes = stateBytes(job);
                send(producer, farNs += SECOND);
                awaitCheckpoints(job);
            } while (stateBytes(job) > stateBytes);

            for (int i = 0; i < 200; i++) {
                send(producer, farNs += SECOND / 100);
            }
            assertTrue(sentBytes > 4 * waitingBytes, sentBytes + " bytes");
            awaitCheckpoints(job);
            assertEquals(stateBytes, stateBytes(job), "bytes of what waits in the job");
            read(reader);
            assertEquals(EACH, verdicts.size(), "packets were judged before their rules");

            publish(2, farNs - SECOND);
            heartbeat(farNs + SECOND);
            await(job, reader, sent);
            job.kill();
        }
        requireRightVerdicts(farNs - SECOND);
    }

    @Test
    void theSilenceOfTheRulesIsSaidWithItsRemedyAndItsEndToo() throws Exception {
        begin("silent");
        publish(1, 0);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()));
                TopicReader reader = verdictReader();
                JobProcess job = job(1, "--rules-idle", "1s")) {
            send(producer, SECOND);
            await(job, reader, EACH);
            String silence = awaitPrinted(job, "the rules topic of classify has been silent");
            assertTrue(silence.contains("packets are judged by version 1"), silence);
            assertTrue(silence.contains("sluice rules heartbeat"), silence);
            publish(2, 2 * SECOND);
            String end = awaitPrinted(job, "the rules topic of classify speaks again");
            assertTrue(end.contains("those up to 2023-11-14T22:13:21Z did not"), end);
            job.kill();
        }
        requireRightVerdicts(2 * SECOND);
    }

    /** Waits for a line on the job's terminal that has a text. */
    private static String awaitPrinted(JobProcess job, String text) throws IOException {
        long deadline = JobProcess.deadline();
        while (true) {
            Optional<String> line =
                    job.printed().lines().filter(one -> one.contains(text)).findFirst();
            if (line.isPresent()) {
                return line.get();
            }
            job.requireRunning();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("'" + text + "' is not said:\n" + job.printed());
            }
            Await.pause();
        }
    }

    /** What the newest checkpoint holds, mostly packets that wait. */
    private static long stateBytes(JobProcess job) throws IOException {
        return job.newestCheckpoint().orElseThrow().stateBytes();
    }
}
