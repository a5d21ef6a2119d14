package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.TestBroker;
import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.FrameKey;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.job.kafka.WatchedTopics;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The source's readers against a real broker: checkpoints, restores, ends and commits. */
@Timeout(120)
class PacketSourceITCase {
    private static final String TOPIC = "frames";
    private static final String GROUP = "readers";
    private static final int PARTITIONS = 2;
    private static final int SHARDS = 64;

    /** Of a partition: more than one batch takes. */
    private static final int FRAMES = 2 * PacketBatcher.CAPACITY + 5_000;

    private static final int EACH_BAD = 1_000;

    private static final long CHECKPOINT = 7;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    /** How often each packet was emitted, by capture and number, and how many messages came. */
    private static final class Emitted implements ReaderOutput<Tuple2<Integer, byte[]>> {
        private final Map<String, int[]> times = new HashMap<>();
        private int packets;
        private int dead;
        private int messages;

        @Override
        public void collect(Tuple2<Integer, byte[]> message) {
            messages++;
            try {
                if (message.f0 == ShardedMessage.DEAD) {
                    DeadLetter.Packet packet =
                            DeadLetter.decode(ShardedMessage.bytes(message)).packet();
                    count(packet.capture(), packet.number());
                    dead++;
                    return;
                }
                PacketBlock block = PacketMessages.decode(ShardedMessage.bytes(message), SHARDS);
                for (int i = 0; i < block.count(); i++) {
                    count(block.capture(), block.column(Column.PACKET).get(i));
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        Emitted copy() {
            Emitted copy = new Emitted();
            times.forEach((capture, counts) -> copy.times.put(capture, counts.clone()));
            copy.packets = packets;
            copy.dead = dead;
            copy.messages = messages;
            return copy;
        }

        private void count(String capture, long number) {
            times.computeIfAbsent(capture, name -> new int[FRAMES + 1])[(int) number]++;
            packets++;
        }

        @Override
        public void collect(Tuple2<Integer, byte[]> message, long timestamp) {
            collect(message);
        }

        @Override
        public void emitWatermark(Watermark watermark) {}

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}

        @Override
        public SourceOutput<Tuple2<Integer, byte[]>> createOutputForSplit(String split) {
            return this;
        }

        @Override
        public void releaseOutputForSplit(String split) {}
    }

    /** A task without metrics, to whose coordinator nothing is said. */
    static final class Context implements SourceReaderContext {
        @Override
        public SourceReaderMetricGroup metricGroup() {
            return UnregisteredMetricsGroup.createSourceReaderMetricGroup();
        }

        @Override
        public Configuration getConfiguration() {
            return new Configuration();
        }

        @Override
        public String getLocalHostName() {
            return "localhost";
        }

        @Override
        public int getIndexOfSubtask() {
            return 0;
        }

        @Override
        public void sendSplitRequest() {}

        @Override
        public void sendSourceEventToCoordinator(SourceEvent event) {}

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
        }
    }

    private static SourceReader<Tuple2<Integer, byte[]>, KafkaPartitionSplit> reader() {
        Properties consumer = new Properties();
        consumer.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
        consumer.setProperty(ConsumerConfig.GROUP_ID_CONFIG, GROUP);
        var reader =
                new PacketSource(
                                consumer,
                                TOPIC,
                                OffsetsInitializer.earliest(),
                                true,
                                PacketFormat.FRAMES,
                                SHARDS,
                                false,
                                new WatchedTopics(new KafkaClients(broker.bootstrap()), List.of()))
                        .createReader(new Context());
        reader.start();
        return reader;
    }

    private static void fill() {
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(
                    List.of(new NewTopic(TOPIC, Optional.of(PARTITIONS), Optional.empty())));
        }
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (int i = 0; i < FRAMES; i++) {
                byte[] frame = i % EACH_BAD == 0 ? MadeFrames.malformed() : MadeFrames.tcp(i, 80);
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    producer.send(TOPIC, partition, FrameKey.of(i * 1_000L), frame);
                }
            }
            producer.flush();
        }
    }

    @Test
    void aReaderThatGoesOnFromACheckpointReadsTheRestAndNothingTwice() throws Exception {
        fill();
        Emitted out;
        List<KafkaPartitionSplit> checkpoint;
        try (var reader = reader()) {
            Emitted first = new Emitted();
            reader.addSplits(
                    List.of(
                            new KafkaPartitionSplit(new TopicPartition(TOPIC, 0), 0),
                            new KafkaPartitionSplit(new TopicPartition(TOPIC, 1), 0)));
            while (first.packets < FRAMES / 2) {
                poll(reader, first);
            }
            checkpoint = reader.snapshotState(CHECKPOINT);
            out = first.copy(); // what is emitted from here on is lost with the reader
            long read = checkpoint.stream().mapToLong(KafkaPartitionSplit::getStartingOffset).sum();
            assertEquals(out.packets, read, "what was emitted is what the offsets say");
            assertTrue(read < PARTITIONS * FRAMES, "all was read before the checkpoint");
            poll(reader, first);
            awaitCommitted(reader, first, checkpoint);
            assertTrue(first.packets > out.packets, "nothing was read behind the checkpoint");
        }
        try (var reader = reader()) {
            reader.addSplits(checkpoint.stream().map(PacketSourceITCase::bounded).toList());
            reader.notifyNoMoreSplits();
            while (poll(reader, out) != InputStatus.END_OF_INPUT) {}
        }
        assertEquals(PARTITIONS, out.times.size(), out.times.keySet().toString());
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int[] times = out.times.get(TOPIC + "/" + partition);
            for (int number = 1; number <= FRAMES; number++) {
                assertEquals(1, times[number], partition + "/" + number);
            }
        }
        assertEquals(PARTITIONS * ((FRAMES + EACH_BAD - 1) / EACH_BAD), out.dead);
        assertTrue(
                out.messages - out.dead < PARTITIONS * FRAMES / 10,
                out.messages + " messages for " + out.packets + " packets");
    }

    private static KafkaPartitionSplit bounded(KafkaPartitionSplit split) {
        return new KafkaPartitionSplit(
                split.getTopicPartition(), split.getStartingOffset(), FRAMES);
    }

    private static InputStatus poll(
            SourceReader<Tuple2<Integer, byte[]>, KafkaPartitionSplit> reader, Emitted out)
            throws Exception {
        InputStatus status = reader.pollNext(out);
        if (status == InputStatus.NOTHING_AVAILABLE) {
            reader.isAvailable().get();
        }
        return status;
    }

    /** Has the group commit what the checkpoint holds, and waits for it. */
    private static void awaitCommitted(
            SourceReader<Tuple2<Integer, byte[]>, KafkaPartitionSplit> reader,
            Emitted out,
            List<KafkaPartitionSplit> checkpoint)
            throws Exception {
        Map<TopicPartition, Long> expected = new HashMap<>();
        for (KafkaPartitionSplit split : checkpoint) {
            expected.put(split.getTopicPartition(), split.getStartingOffset());
        }
        Map<TopicPartition, Long> committed = new HashMap<>();
        try (Admin admin =
                Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            while (!committed.equals(expected)) {
                // Again and again, as later checkpoints would: a commit fails while the broker
                // makes the topic of offsets, and the fetcher is held up by a full queue.
                reader.notifyCheckpointComplete(CHECKPOINT);
                reader.pollNext(out);
                Map<TopicPartition, OffsetAndMetadata> now =
                        admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
                committed.clear();
                now.forEach((partition, offset) -> committed.put(partition, offset.offset()));
            }
        }
    }

    /** What a retention, or somebody, deletes before it is read. */
    @Test
    void messagesThatAreDeletedUnreadEndTheJobForGoodAndAreNotPassedOver() throws Exception {
        String cut = "cut";
        TopicPartition partition = new TopicPartition(cut, 0);
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(List.of(new NewTopic(cut, Optional.of(1), Optional.empty())));
        }
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (int i = 0; i < 3; i++) {
                producer.send(cut, 0, FrameKey.of(i * 1_000L), MadeFrames.tcp(i, 80));
            }
            producer.flush();
        }
        try (Admin admin =
                Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2))).all().get();
        }
        try (var reader = reader()) {
            reader.addSplits(List.of(new KafkaPartitionSplit(partition, 1)));
            Emitted out = new Emitted();
            Exception ended =
                    assertThrows(
                            Exception.class,
                            () -> {
                                while (true) {
                                    poll(reader, out);
                                }
                            });
            assertEquals(0, out.packets);
            Throwable forGood = ended;
            while (!(forGood instanceof SuppressRestartsException)) {
                forGood = forGood.getCause();
                assertNotNull(forGood, () -> "a restart is not suppressed: " + ended);
            }
            String sentence = forGood.getCause().getMessage();
            assertTrue(
                    sentence.startsWith(
                            "messages of packets that the job was to read next are not there any more: cut-0 at offset 1."),
                    sentence);
        }
    }

    /**
     * A reader behind a first fragment, with the older of its frames deleted: wherever it starts,
     * it gives the later fragment what a reader of the whole partition gives.
     */
    @Test
    void aLaterFragmentBehindAStartHasThePortsOfTheFirstOneBeforeIt() throws Exception {
        String topic = "fragments";
        TopicPartition partition = new TopicPartition(topic, 0);
        int frames = 40;
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
            access.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())));
        }
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (int i = 0; i < frames; i++) {
                byte[] frame = MadeFrames.tcp(i, 80);
                frame[14 + 6] = (byte) (i == 10 ? 0x20 : 0);
                producer.send(topic, 0, FrameKey.of(i * 1_000L), frame);
            }
            producer.flush();
        }
        try (Admin admin =
                Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(5))).all().get();
        }
        byte[] later = MadeFrames.tcp(10, 80);
        later[14 + 7] = 3;
        for (long start :
                new long[] {
                    5, 10, 11, 30, frames, frames + 1, KafkaPartitionSplit.EARLIEST_OFFSET
                }) {
            int[] lone = {0};
            PacketBatcher batcher =
                    new PacketBatcher(
                            PacketFormat.FRAMES,
                            SHARDS,
                            false,
                            10,
                            new FrameCounts() {
                                @Override
                                public void shut(Tunnel tunnel) {}

                                @Override
                                public void lone() {
                                    lone[0]++;
                                }
                            });
            Properties consumer = new Properties();
            consumer.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
            consumer.setProperty(
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    ByteArrayDeserializer.class.getName());
            consumer.setProperty(
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    ByteBufferDeserializer.class.getName());
            new LookBack(consumer, batcher, Duration.ofMinutes(1))
                    .before(List.of(new KafkaPartitionSplit(partition, start)));
            batcher.add(
                    new ConsumerRecord<>(topic, 0, frames, new byte[0], ByteBuffer.wrap(later)));
            assertEquals(start > 10 ? 0 : 1, lone[0], "start " + start);
        }
    }
}
