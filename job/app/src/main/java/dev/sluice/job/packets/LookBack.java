package dev.sluice.job.packets;

import static org.apache.kafka.clients.consumer.ConsumerConfig.AUTO_OFFSET_RESET_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.CLIENT_ID_CONFIG;
import static org.apache.kafka.clients.consumer.ConsumerConfig.GROUP_ID_CONFIG;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reading of the frames that lie before the first one of a partition's reader.
 *
 * <p>The first fragment of a datagram may lie there. So the later fragments behind a restart get
 * the same ports as in a run without failure, and no checkpoint holds datagrams. Used by the
 * fetcher's thread.
 */
final class LookBack {
    private static final Logger LOG = LoggerFactory.getLogger(LookBack.class);
    private static final Duration POLL = Duration.ofMillis(100);

    private final Properties consumer = new Properties();
    private final PacketBatcher batcher;
    private final Duration patience;
    private volatile @Nullable KafkaConsumer<byte[], ByteBuffer> reading;
    private volatile boolean ended;

    /**
     * Creates a reading.
     *
     * @param consumer properties of a consumer of values in byte buffers
     * @param batcher gets the frames
     * @param patience time without a further frame after which it fails
     */
    LookBack(Properties consumer, PacketBatcher batcher, Duration patience) {
        this.consumer.putAll(consumer);
        String group = consumer.getProperty(GROUP_ID_CONFIG, "sluice");
        this.consumer.setProperty(CLIENT_ID_CONFIG, group + "-look-back");
        this.consumer.remove(GROUP_ID_CONFIG);
        // Frames that were deleted give no datagrams; the partition's start is as good.
        this.consumer.setProperty(AUTO_OFFSET_RESET_CONFIG, "earliest");
        this.batcher = batcher;
        this.patience = patience;
    }

    /**
     * Reads the frames before the starts of splits: offsets, or the earliest one.
     *
     * @throws TimeoutException if no further frame comes in time
     */
    void before(List<KafkaPartitionSplit> splits) {
        Map<TopicPartition, Long> starts = new HashMap<>();
        for (KafkaPartitionSplit split : splits) {
            long start = split.getStartingOffset();
            if (start > 0) {
                starts.put(split.getTopicPartition(), start);
            } else if (start < 0 && start != KafkaPartitionSplit.EARLIEST_OFFSET) {
                throw new IllegalArgumentException(split + " has no known start");
            }
        }
        if (starts.isEmpty()) {
            return;
        }
        try (KafkaConsumer<byte[], ByteBuffer> kafka = new KafkaConsumer<>(consumer)) {
            reading = kafka;
            if (ended) {
                return;
            }
            Map<TopicPartition, Long> ends = kafka.endOffsets(starts.keySet());
            starts.replaceAll((at, start) -> Math.min(ends.getOrDefault(at, 0L), start));
            starts.values().removeIf(start -> start == 0);
            kafka.assign(starts.keySet());
            starts.forEach(
                    (partition, start) ->
                            kafka.seek(partition, Math.max(0, start - FrameReading.HORIZON)));
            read(kafka, starts);
        } catch (WakeupException e) {
            LOG.info("the reader closes before all frames before its start are read");
        } finally {
            reading = null;
        }
    }

    /** Ends a reading, of a reader that closes; to be called by any thread. */
    void end() {
        ended = true;
        KafkaConsumer<?, ?> now = reading;
        if (now != null) {
            now.wakeup();
        }
    }

    /** Reads up to the starts, which it removes. */
    void read(Consumer<byte[], ByteBuffer> kafka, Map<TopicPartition, Long> starts) {
        long moved = System.nanoTime();
        long places = -1;
        while (!starts.isEmpty()) {
            for (ConsumerRecord<byte[], ByteBuffer> message : kafka.poll(POLL)) {
                TopicPartition partition = new TopicPartition(message.topic(), message.partition());
                if (message.offset() < starts.getOrDefault(partition, 0L)) {
                    batcher.before(message);
                }
            }
            long now = 0;
            List<TopicPartition> read = new ArrayList<>();
            for (Map.Entry<TopicPartition, Long> start : starts.entrySet()) {
                long position = kafka.position(start.getKey());
                now += position;
                if (position >= start.getValue()) {
                    read.add(start.getKey());
                }
            }
            starts.keySet().removeAll(read);
            kafka.pause(read);
            if (now != places) {
                places = now;
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > patience.toNanos()) {
                throw new TimeoutException(
                        "no further frame before the job's start came within %d s, of %s"
                                .formatted(patience.toSeconds(), starts.keySet()));
            }
        }
    }
}
