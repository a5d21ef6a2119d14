package dev.sluice.job.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** Reads committed messages of whole topics from their start, outside any consumer group. */
public final class TopicReader implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;

    /** A reader that stands at the start of every partition. */
    public TopicReader(String bootstrap, Collection<String> topics) {
        this(new KafkaClients(bootstrap).consumer(), topics);
    }

    /**
     * A reader that stands at the start of every partition and does not wait for transactions to be
     * committed: it shows what a job sends at the time it does, also what is aborted later.
     */
    public static TopicReader uncommitted(String bootstrap, Collection<String> topics) {
        return new TopicReader(new KafkaClients(bootstrap).uncommittedConsumer(), topics);
    }

    private TopicReader(KafkaConsumer<byte[], byte[]> consumer, Collection<String> topics) {
        this.consumer = consumer;
        partitions =
                topics.stream()
                        .flatMap(t -> consumer.partitionsFor(t).stream())
                        .map(p -> new TopicPartition(p.topic(), p.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** The offset behind the last committed message of a topic's first partition, as of now. */
    public static long end(String bootstrap, String topic) {
        try (TopicReader reader = new TopicReader(bootstrap, List.of(topic))) {
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
