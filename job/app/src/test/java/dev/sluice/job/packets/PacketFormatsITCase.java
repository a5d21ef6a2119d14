package dev.sluice.job.packets;

import static dev.sluice.job.Sluice.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.kafka.FrameKey;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.testing.TestData;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A capture gets the same verdicts whichever way its packets go into the packets topic. */
@Timeout(240)
class PacketFormatsITCase {
    private static final int ETHERNET = 1;
    private static final int RAW_IP = 101;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** What is known of a packet that was judged: its verdict, and the time of the packet. */
    private record Judged(String verdict, long timeNs) {}

    private static Topics topics(String prefix, int partitions) {
        Topics topics = Topics.of(broker.bootstrap(), prefix);
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(KafkaAccess.newTopics(topics.names(), partitions));
        }
        ok(topics.run("rules", "publish", "--rules", TestData.office("office.ovs")));
        return topics;
    }

    private static Sluice job(Topics topics, String format) {
        return ok(
                Sluice.run(
                        topics.job(
                                "--bounded",
                                "--verdict-format",
                                "records",
                                "--packet-format",
                                format)));
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
        try (TopicReader reader =
                new TopicReader(new KafkaClients(broker.bootstrap()), List.of(topic))) {
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                reader.poll(Duration.ofMillis(100)).forEach(messages::add);
            }
        }
        return messages;
    }

    private static Map<Long, Judged> verdicts(Topics topics) throws Exception {
        Map<Long, Judged> seen = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().verdicts())) {
            Verdict v = Verdict.decode(message.value());
            String verdict = v.line() + "\t" + v.priority() + "\t" + v.action();
            assertEquals(null, seen.put(v.packet(), new Judged(verdict, v.timeNs())));
        }
        return seen;
    }

    /** The office capture with a frame that is cut and one that is damaged behind every 100th. */
    private static Path capture() throws Exception {
        Path file = folder.resolve("some.pcap");
        if (Files.exists(file)) {
            return file;
        }
        List<byte[]> frames = new ArrayList<>();
        try (var capture = Captures.open(TestData.office("office.pcapng.gz"))) {
            while (capture.next()) {
                int at = capture.dataAt();
                frames.add(Arrays.copyOfRange(capture.bytes(), at, at + capture.capturedLength()));
                if (frames.size() % 100 == 0) {
                    frames.add(MadeFrames.malformed());
                    frames.add(Arrays.copyOf(MadeFrames.tcp(7, 80), 9));
                }
            }
        }
        write(file, ETHERNET, frames);
        return file;
    }

    /** A pcap of whole frames, 1 ms apart. */
    private static void write(Path file, int linkType, List<byte[]> frames) throws Exception {
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
            out.writeInt(0xa1b2c3d4);
            out.writeShort(2);
            out.writeShort(4);
            out.writeLong(0);
            out.writeInt(65_535);
            out.writeInt(linkType);
            for (int i = 0; i < frames.size(); i++) {
                out.writeInt(1_700_000_000 + i / 1000);
                out.writeInt(i % 1000 * 1000);
                out.writeInt(frames.get(i).length);
                out.writeInt(frames.get(i).length);
                out.write(frames.get(i));
            }
        }
    }

    @Test
    void blocksRecordsAndFramesOfACaptureGetTheSameVerdicts() throws Exception {
        Path capture = capture();
        Map<String, Map<Long, Judged>> verdicts = new TreeMap<>();
        Map<String, Map<Long, String>> dead = new TreeMap<>();
        for (String format : List.of("blocks", "records", "frames")) {
            Topics topics = topics(format, 1); // offsets are the order of the capture
            ok(topics.run("export", "--format", format, capture));
            job(topics, format.equals("frames") ? "frames" : "avro");
            verdicts.put(format, verdicts(topics));
            Map<Long, String> reasons = new TreeMap<>();
            for (ConsumerRecord<byte[], byte[]> message : read(topics.names().deadLetters())) {
                DeadLetter letter = DeadLetter.decode(message.value());
                reasons.put(letter.packet().number(), letter.reason());
            }
            dead.put(format, reasons);
        }
        Map<Long, Judged> expected = verdicts.get("blocks");
        assertTrue(expected.size() > 1_000, expected.size() + " verdicts");
        assertEquals(expected, verdicts.get("records"));
        assertEquals(expected, verdicts.get("frames"));
        assertEquals(20, dead.get("blocks").size(), dead.toString());
        assertEquals(dead.get("blocks"), dead.get("records"));
        assertEquals(dead.get("blocks"), dead.get("frames"));
    }

    @Test
    void framesOfSeveralPartitionsAreNamedByThemAndKeyedByTheirTime() throws Exception {
        Topics topics = topics("several", 3);
        ok(topics.run("export", "--format", "frames", capture()));
        Map<String, Long> times = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().packets())) {
            times.put(
                    "several-p/%d %d".formatted(message.partition(), message.offset() + 1),
                    FrameKey.timeNs(message.key()));
        }
        Sluice run = job(topics, "frames");
        assertTrue(run.out().contains("20 dead letters"), run.out());
        Map<String, Long> seen = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().verdicts())) {
            Verdict v = Verdict.decode(message.value());
            seen.put(v.capture() + " " + v.packet(), v.timeNs());
            assertTrue(v.capture().endsWith("/" + v.captureIndex()), v.toString());
        }
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().deadLetters())) {
            DeadLetter.Packet packet = DeadLetter.decode(message.value()).packet();
            seen.put(packet.capture() + " " + packet.number(), packet.timeNs());
        }
        assertEquals(times, seen);
        assertEquals(
                List.of("several-p/0", "several-p/1", "several-p/2"),
                seen.keySet().stream().map(k -> k.split(" ")[0]).distinct().toList());
    }

    @Test
    void whatOthersWriteToATopicOfFramesEndsAsDeadLettersAndTheJobGoesOn() throws Exception {
        Topics topics = topics("others", 1);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            String packets = topics.names().packets();
            producer.send(packets, null, MadeFrames.tcp(1, 80));
            producer.send(packets, null, "{}".getBytes(StandardCharsets.UTF_8));
            producer.send(packets, null, new byte[0]);
            producer.send(packets, FrameKey.of(5_000), MadeFrames.tcp(2, 80));
            producer.flush();
        }
        Sluice run = job(topics, "frames");
        assertTrue(run.out().contains("2 dead letters"), run.out());
        Map<Long, Judged> verdicts = verdicts(topics);
        assertEquals(List.of(1L, 4L), List.copyOf(verdicts.keySet()));
        assertEquals(5_000, verdicts.get(4L).timeNs());
        assertTrue(verdicts.get(1L).timeNs() > 1_600_000_000_000_000_000L, "Kafka's time");
    }

    @Test
    void whatIsNoEthernetIsNotExportedAsFrames() throws Exception {
        Path raw = folder.resolve("raw.pcap");
        byte[] frame = MadeFrames.tcp(1, 80);
        write(raw, RAW_IP, List.of(Arrays.copyOfRange(frame, 14, frame.length)));
        Topics topics = topics("raw", 1);
        Sluice run = topics.run("export", "--format", "frames", capture(), raw);
        assertEquals(1, run.status());
        assertTrue(
                run.err().contains("packet 1 of capture " + raw + " has link type 101"), run.err());
        assertTrue(run.err().contains("--format blocks or records"), run.err());
        assertEquals(List.of(), read(topics.names().packets()), "nothing is sent before");
        ok(topics.run("export", "--format", "records", raw));
        Sluice port = topics.run("export", "--format", "frames", "--in-port", 3, capture());
        assertEquals(2, port.status());
        assertTrue(port.err().contains("--in-port"), port.err());
        Sluice unknown = topics.run("run", "--packet-format", "pcap");
        assertEquals(2, unknown.status());
        assertTrue(unknown.err().contains("use one of avro, frames"), unknown.err());
        assertFalse(unknown.err().contains("Exception"), unknown.err());
    }
}
