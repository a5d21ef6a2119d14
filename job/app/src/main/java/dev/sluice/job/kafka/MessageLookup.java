package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * Look-up of committed messages by their place, with a cache of the messages read last.
 *
 * <p>The cache answers look-ups in the order of places, of one partition or of several in turns.
 * Its size is bounded in bytes. Not thread-safe.
 */
public final class MessageLookup implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private record Place(TopicPartition partition, long offset) {}

    private final KafkaClients kafka;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final long mostBytes;

    /** Number of partitions by topic; 0 where the topic does not exist. */
    private final Map<String, Integer> partitions = new HashMap<>();

    /** Messages that were read, the most recently used at the end. */
    private final LinkedHashMap<Place, byte[]> kept = new LinkedHashMap<>(64, 0.75f, true);

    private long keptBytes;

    /**
     * Opens a look-up.
     *
     * @param mostBytes bound of the cached messages; the last one read is always kept
     */
    public MessageLookup(KafkaClients kafka, long mostBytes) {
        this.kafka = kafka;
        this.consumer = kafka.exactConsumer();
        this.mostBytes = mostBytes;
    }

    /**
     * Returns the value of a message; null if the message was deleted or never existed.
     *
     * @throws SluiceException if the broker does not answer
     */
    public byte @Nullable [] value(String topic, int partition, long offset) {
        if (partition >= partitions.computeIfAbsent(topic, this::partitionsOf)) {
            return null;
        }
        Place place = new Place(new TopicPartition(topic, partition), offset);
        byte[] value = kept.get(place);
        return value == null ? read(place) : value;
    }

    private int partitionsOf(String topic) {
        try {
            List<PartitionInfo> infos = consumer.partitionsFor(topic);
            return infos == null ? 0 : infos.size();
        } catch (TopicAuthorizationException e) {
            throw KafkaRefusal.denied(
                    kafka,
                    AclOperation.READ,
                    new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                    e);
        }
    }

    private byte @Nullable [] read(Place place) {
        TopicPartition partition = place.partition;
        if (!consumer.assignment().contains(partition)) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, place.offset);
        } else if (consumer.position(partition) != place.offset) {
            consumer.seek(partition, place.offset);
        }
        long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
        long since = System.nanoTime();
        byte[] found = null;
        try {
            while (found == null && consumer.position(partition) <= place.offset) {
                if (place.offset >= end) {
                    return null;
                }
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                    byte[] value = message.value() == null ? new byte[0] : message.value();
                    keep(new Place(partition, message.offset()), value);
                    found = message.offset() == place.offset ? value : found;
                }
                if (System.nanoTime() - since > PATIENCE.toNanos()) {
                    throw new SluiceException(
                            "the broker does not send offset %d of partition %d of topic %s; check that it runs"
                                    .formatted(
                                            place.offset,
                                            partition.partition(),
                                            partition.topic()));
                }
            }
        } catch (OffsetOutOfRangeException e) {
            return null; // the message was deleted
        }
        return found;
    }

    private void keep(Place place, byte[] value) {
        byte[] before = kept.put(place, value);
        keptBytes += value.length - (before == null ? 0 : before.length);
        Iterator<byte[]> eldest = kept.values().iterator();
        while (keptBytes > mostBytes && kept.size() > 1) {
            keptBytes -= eldest.next().length;
            eldest.remove();
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
