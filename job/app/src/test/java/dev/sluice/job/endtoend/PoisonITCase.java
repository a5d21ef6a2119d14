package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.TextLimit;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.header.HeaderWord;
import dev.sluice.schemas.testing.TestData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The extremes of the schemas of packets and rules, which any producer may write: the job goes on,
 * and every packet has one verdict, or its message one dead letter.
 */
@Timeout(300)
class PoisonITCase {
    private static final int MEBIBYTE = 1 << 20;
    private static final String LONGEST = "n".repeat(TextLimit.BYTES);
    private static final String TOO_LONG = "n".repeat(MEBIBYTE + 200_000);

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** Messages of a topic, and how many packets and dead letters must come of them. */
    private static final class Input {
        private final List<byte[]> messages = new ArrayList<>();
        private final Map<String, Integer> packets = new TreeMap<>();
        private int dead;
        private int blocks;

        /** Adds a block that is to be judged; each has a capture of its own. */
        void judged(PacketBlock block) {
            packets.put(block.capture().length() + ":" + block.captureIndex(), block.count());
            messages.add(block.encode());
        }

        void refused(byte[] message) {
            messages.add(message);
            dead++;
        }
    }

    /** A block whose columns have a width, with what travels along at both ends of its type. */
    private static PacketBlock block(Input to, String capture, int count, int width, int shards) {
        List<Column> columns = new ArrayList<>();
        byte[] data = new byte[count * width];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i % 97 < 5 ? -1 : i % 7);
        }
        for (int word = 0; word < HeaderWord.COUNT; word++) {
            long base = word % 2 == 0 ? Long.MIN_VALUE : -1;
            columns.add(
                    new Column(
                            word,
                            word == Column.FRAME_LENGTH ? Integer.MAX_VALUE : base,
                            width,
                            data));
        }
        columns.add(new Column(Column.PACKET, Long.MAX_VALUE, width, data));
        columns.add(new Column(Column.TIME_NS, Long.MIN_VALUE, width, data));
        return new PacketBlock(capture, to.blocks++, shards - 1, shards, count, columns);
    }

    private static Input packets(int largest) {
        Input input = new Input();
        int[] widths = {0, 1, 2, 4, 8};
        for (int width : widths) {
            input.judged(block(input, "", largest, width, 64));
            input.judged(block(input, "a", 1, width, Integer.MAX_VALUE));
            input.judged(block(input, "b", 3, width, 1)); // of other shards than those before
        }
        input.judged(block(input, LONGEST, 20_000, 8, 64));
        input.refused(block(input, TOO_LONG, 3, 1, 64).encode());
        input.refused(block(input, LONGEST + "n", 1, 0, 64).encode());
        input.refused(block(input, "c", PacketBlock.MAX_COUNT + 1, 0, 64).encode());
        input.refused(new byte[0]);
        input.refused(new byte[MEBIBYTE]);
        int[] words = new int[HeaderWord.COUNT];
        for (int i = 0; i < 20; i++) {
            input.refused(PacketMessages.encodeHeader(TOO_LONG, i, i, i, i, words));
        }
        long[] times = {Column.NO_TIME, Column.NO_TIME + 1, -1, 0, Long.MAX_VALUE};
        int index = 1_000_000;
        for (long time : times) {
            input.messages.add(
                    PacketMessages.encodeHeader(
                            LONGEST, index, Long.MIN_VALUE, time, Integer.MAX_VALUE, words));
            input.packets.put(LONGEST.length() + ":" + index++, 1);
        }
        return input;
    }

    private static void send(String topic, List<byte[]> messages) throws Exception {
        Properties config = new Properties();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "gzip");
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, String.valueOf(64 * MEBIBYTE));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (byte[] message : messages) {
                producer.send(new ProducerRecord<>(topic, 0, null, message)).get();
            }
        }
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

    /** Transactions and heartbeats that no publisher of ours writes. */
    private static List<byte[]> rules(long version) {
        List<byte[]> messages = new ArrayList<>();
        for (long time : new long[] {Long.MIN_VALUE, Long.MAX_VALUE}) {
            messages.add(RuleChange.heartbeat("", Long.MAX_VALUE, time).encode());
            messages.add(RuleChange.heartbeat(TOO_LONG, version, time).encode());
        }
        for (int which = 0; which < 5; which++) {
            RuleChange begin =
                    RuleChange.begin(
                            which == 0 ? TOO_LONG : "t" + which,
                            which == 1 ? TOO_LONG : "",
                            version + which,
                            null,
                            null,
                            RuleChange.Kind.SNAPSHOT,
                            which == 2 ? TOO_LONG : "set",
                            which == 3 ? TOO_LONG : "drop");
            RuleChange.RuleRecord rule =
                    new RuleChange.RuleRecord(
                            Long.MAX_VALUE,
                            Integer.MAX_VALUE,
                            Integer.MAX_VALUE,
                            which == 4 ? TOO_LONG : "a",
                            new int[0],
                            null,
                            null,
                            new byte[MEBIBYTE / 2],
                            which == 4 ? "" : TOO_LONG);
            messages.add(begin.encode());
            messages.add(RuleChange.changes(begin, 0, List.of(rule), List.of()).encode());
            messages.add(RuleChange.commit(begin, 1).encode());
        }
        return messages;
    }

    private static Topics topics(String prefix) {
        Topics topics = Topics.of(broker.bootstrap(), prefix).create();
        topics.publish(TestData.office("office.ovs"));
        return topics;
    }

    private static void job(Topics topics, Object... more) {
        List<Object> words = new ArrayList<>(List.of("run", "--bounded", "--from", "earliest"));
        words.addAll(List.of("--group", topics.names().packets(), "--parallelism", "2"));
        words.addAll(List.of("--transactional-id-prefix", topics.names().packets()));
        words.addAll(List.of(more));
        Sluice run = topics.run(words.toArray());
        assertEquals(0, run.status(), run.err());
    }

    private static void assertDead(Topics topics, int ofPackets) throws Exception {
        int seen = 0;
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().deadLetters())) {
            assertTrue(message.value().length < 10_000, message.value().length + " bytes");
            DeadLetter.Message where = DeadLetter.decode(message.value()).message();
            seen += where != null && where.topic().equals(topics.names().packets()) ? 1 : 0;
        }
        assertEquals(ofPackets, seen);
    }

    @Test
    void blocksOfEveryExtremeAreJudgedOrBecomeDeadLetters() throws Exception {
        for (String time : List.of("processing", "event")) {
            Topics topics = topics("blocks-" + time);
            Input input = packets(PacketBlock.MAX_COUNT);
            send(topics.names().packets(), input.messages);
            job(topics, "--verdict-fields", "all", "--rules-time", time);
            Map<String, Integer> seen = new TreeMap<>();
            for (ConsumerRecord<byte[], byte[]> message : read(topics.names().verdicts())) {
                VerdictBlock block = VerdictBlock.decode(message.value());
                assertNotNull(block.field(Column.FRAME_LENGTH));
                seen.merge(
                        block.capture().length() + ":" + block.captureIndex(),
                        block.count(),
                        Integer::sum);
            }
            assertEquals(input.packets, seen);
            assertDead(topics, input.dead);
        }
    }

    @Test
    void singleVerdictsOfALargeBlockRepeatNoLongText() throws Exception {
        Topics topics = topics("records");
        Input input = packets(5_000);
        send(topics.names().packets(), input.messages);
        job(topics, "--verdict-format", "records");
        Map<String, Integer> seen = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> message : read(topics.names().verdicts())) {
            Verdict verdict = Verdict.decode(message.value());
            seen.merge(verdict.capture().length() + ":" + verdict.captureIndex(), 1, Integer::sum);
        }
        assertEquals(input.packets, seen);
        assertDead(topics, input.dead);
    }

    @Test
    void rulesOfEveryExtremeAreTakenOrBecomeDeadLetters() throws Exception {
        for (String time : List.of("processing", "event")) {
            Topics topics = topics("rules-" + time);
            send(topics.names().rules(), rules(100));
            Input input = packets(10);
            send(topics.names().packets(), input.messages);
            job(topics, "--rules-time", time);
            assertDead(topics, input.dead);
            int judged = 0;
            for (ConsumerRecord<byte[], byte[]> message : read(topics.names().verdicts())) {
                judged += VerdictBlock.decode(message.value()).count();
            }
            assertEquals(input.packets.values().stream().mapToInt(n -> n).sum(), judged);
        }
    }
}
