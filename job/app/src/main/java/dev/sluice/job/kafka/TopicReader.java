package dev.sluice.job.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Reader of committed messages of whole topics from their start, without a consumer group. */
public final class TopicReader implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    /** Opens a reader at the start of every partition. */
    public TopicReader(KafkaClients kafka, Collection<String> topics) {
        this(kafka.consumer(), topics);
    }

    /**
     * Opens a reader at the start of every partition that also reads uncommitted messages, even
     * those that are aborted later.
     */
    public static TopicReader uncommitted(KafkaClients kafka, Collection<String> topics) {
        return new TopicReader(kafka.uncommittedConsumer(), topics);
    }

    /**
     * Opens a reader of some of a topic's partitions.
     *
     * @param committed whether it reads committed messages only
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

    private TopicReader(KafkaConsumer<byte[], byte[]> consumer, Collection<String> topics) {
        this(consumer, topics, partition -> true);
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
     * Returns the next messages; may be empty before the end, where aborted messages are skipped.
     */
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return consumer.poll(timeout);
    }

    /** Returns the present end offsets, for {@link #reached}. */
    public Map<TopicPartition, Long> ends() {
        return new HashMap<>(consumer.endOffsets(partitions));
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
