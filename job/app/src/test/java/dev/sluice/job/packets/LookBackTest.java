package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.kafka.FrameKey;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.WatchedTopics;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Patience with a broker that is slow, and with one that is silent. */
@Timeout(120)
class LookBackTest {
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final TopicPartition AT = new TopicPartition("packets", 0);
    private static final int FRAMES = 8;

    private final LookBack lookBack =
            new LookBack(
                    new Properties(),
                    new PacketBatcher(PacketFormat.FRAMES, 1, false, 1, tunnel -> {}),
                    PATIENCE);
    private int polls;

    /** A consumer that gets some frames one by one, each after a quarter of the patience. */
    private MockConsumer<byte[], ByteBuffer> slow(int frames) {
        MockConsumer<byte[], ByteBuffer> kafka =
                new MockConsumer<>("earliest") {
                    @Override
                    public synchronized ConsumerRecords<byte[], ByteBuffer> poll(Duration most) {
                        if (polls < frames) {
                            byte[] frame = MadeFrames.tcp(1, 80);
                            addRecord(
                                    new ConsumerRecord<>(
                                            AT.topic(),
                                            AT.partition(),
                                            polls++,
                                            FrameKey.of(0),
                                            ByteBuffer.wrap(frame)));
                        }
                        try {
                            Thread.sleep(PATIENCE.toMillis() / 4);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return super.poll(most);
                    }
                };
        kafka.assign(List.of(AT));
        kafka.seek(AT, 0);
        return kafka;
    }

    @Test
    void framesThatKeepComingTakeTheirTime() {
        Map<TopicPartition, Long> starts = new HashMap<>(Map.of(AT, (long) FRAMES));
        long from = System.nanoTime();
        lookBack.read(slow(FRAMES), starts);
        assertTrue(System.nanoTime() - from > PATIENCE.toNanos());
        assertEquals(Map.of(), starts);
    }

    @Test
    void framesThatStopComingAreToldWithTheirPartition() {
        Map<TopicPartition, Long> starts = new HashMap<>(Map.of(AT, (long) FRAMES));
        TimeoutException told =
                assertThrows(TimeoutException.class, () -> lookBack.read(slow(FRAMES - 1), starts));
        assertEquals(
                "no further frame before the job's start came within 1 s, of [packets-0]",
                told.getMessage());
    }

    /**
     * A cancelled job's reader, to which no broker answers: its next request would take a minute.
     */
    @Test
    void aReaderThatClosesWaitsForNoFrame() throws Exception {
        Properties consumer = new Properties();
        consumer.setProperty(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
        consumer.setProperty(ConsumerConfig.GROUP_ID_CONFIG, "closing");
        PacketSource source =
                new PacketSource(
                        consumer,
                        AT.topic(),
                        PacketSource.committed(),
                        false,
                        PacketFormat.FRAMES,
                        1,
                        false,
                        new WatchedTopics(new KafkaClients("127.0.0.1:1"), List.of()));
        long from;
        try (var reader = source.createReader(new PacketSourceITCase.Context())) {
            reader.start();
            reader.addSplits(List.of(new KafkaPartitionSplit(AT, FRAMES)));
            while (!isLookingBack()) {
                Thread.sleep(10);
            }
            from = System.nanoTime();
        }
        assertTrue(System.nanoTime() - from < Duration.ofSeconds(10).toNanos());
        assertFalse(isLookingBack());
    }

    private static boolean isLookingBack() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(call -> call.getClassName().equals(LookBack.class.getName()));
    }
}
