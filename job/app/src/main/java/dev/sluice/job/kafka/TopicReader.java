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

/** Reads committed messages of whole topics from their start, outside any consumer group. */
public final class TopicReader implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    /** A reader that stands at the start of every partition. */
    public TopicReader(KafkaClients kafka, Collection<String> topics) {
        this(kafka.consumer(), topics);
    }

    /**
     * A reader that stands at the start of every partition and does not wait for transactions to be
     * committed: it shows what a job sends at the time it does, also what is aborted later.
     */
    public static TopicReader uncommitted(KafkaClients kafka, Collection<String> topics) {
        return new TopicReader(kafka.uncommittedConsumer(), topics);
    }

    /**
     * A reader of a part of a topic's partitions, as {@link #uncommitted} or of committed messages.
     *
     * @param part which, from 0
     * @param parts into how many the partitions are dealt out
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

    /** The offset behind the last committed message of a topic's first partition, as of now. */
    public static long end(KafkaClients kafka, String topic) {
        try (TopicReader reader = new TopicReader(kafka, List.of(topic))) {
            return reader.ends().getOrDefault(new TopicPartition(topic, 0), 0L);
        }
    }

    /** Goes to an offset of the first partition of a topic. */
    public void from(String topic, long offset) {
        consumer.seek(new TopicPartition(topic, 0), offset);
    }

    /** The next messages; may be empty before the end, where aborted ones are passed over. */
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return consumer.poll(timeout);
    }

    /** End offsets as of now: read until {@link #reached} says so. */
    public Map<TopicPartition, Long> ends() {
        return new HashMap<>(consumer.endOffsets(partitions));
    }

    /** Whether every partition was read up to these offsets. */
    public boolean reached(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
