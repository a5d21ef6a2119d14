package dev.sluice.job.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Reader of committed messages of whole topics from their start, without a consumer group. */
public final class TopicReader implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    /** Opens a reader at the start of every partition. */
    public TopicReader(KafkaClients kafka, Collection<String> topics) {
        this(kafka.consumer(), topics, partition -> true);
    }

    /**
     * Opens a reader of some of a topic's partitions.
     *
     * @param committed whether it reads committed messages only; if not, even those that are
     *     aborted later
     * @param part index of its share, from 0
     * @param parts number of shares of the partitions
     */
    public static TopicReader part(
            KafkaClients kafka, String topic, boolean committed, int part, int parts) {
        return new TopicReader(
                committed ? kafka.consumer() : kafka.uncommittedConsumer(),
                List.of(topic),
                partition -> partition.partition() % parts == part);
    }

    private TopicReader(
            KafkaConsumer<byte[], byte[]> consumer,
            Collection<String> topics,
            Predicate<PartitionInfo> mine) {
        this.consumer = consumer;
        partitions =
                topics.stream()
                        .flatMap(t -> consumer.partitionsFor(t).stream())
                        .filter(mine)
                        .map(p -> new TopicPartition(p.topic(), p.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Returns the present offset after the last committed message of a topic's first partition. */
    public static long end(KafkaClients kafka, String topic) {
        try (TopicReader reader = new TopicReader(kafka, List.of(topic))) {
            return reader.ends().getOrDefault(new TopicPartition(topic, 0), 0L);
        }
    }

    /** Seeks to an offset of a topic's first partition. */
    public void from(String topic, long offset) {
        consumer.seek(new TopicPartition(topic, 0), offset);
    }

    /**
     * Seeks to the first message from a time on in each partition, and to an end where there is
     * none; the greatest time stands for the ends.
     */
    void from(Instant time, Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> times = new HashMap<>();
        if (!time.equals(Instant.MAX)) {
            partitions.forEach(p -> times.put(p, time.toEpochMilli()));
        }
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
        ends.forEach(
                (partition, end) -> {
                    OffsetAndTimestamp first = found.get(partition);
                    consumer.seek(partition, first == null ? end : first.offset());
                });
    }

    /**
     * Returns the next messages; may be empty before the end, where aborted messages are skipped.
     */
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return consumer.poll(timeout);
    }

    /** Returns the present end offsets, for {@link #reached}. */
    public Map<TopicPartition, Long> ends() {
        return new HashMap<>(consumer.endOffsets(partitions));
    }

    /**
     * Returns the offsets of the first messages from a time on, and the ends where there is none.
     */
    Map<TopicPartition, Long> ends(Instant time) {
        Map<TopicPartition, Long> ends = ends();
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(p -> times.put(p, time.toEpochMilli()));
        consumer.offsetsForTimes(times)
                .forEach(
                        (partition, first) -> {
                            if (first != null) {
                                ends.merge(partition, first.offset(), Math::min);
                            }
                        });
        return ends;
    }

    /** Tells whether every partition was read up to these offsets. */
    public boolean reached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
