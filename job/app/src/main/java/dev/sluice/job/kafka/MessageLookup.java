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
 * Committed messages by their place. Who asks for places in their order, partition by partition or
 * in turns, is answered from what was read with those before: the messages of the last reads are
 * kept, up to a number of bytes. Not thread-safe.
 */
public final class MessageLookup implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private record Place(TopicPartition partition, long offset) {}

    private final KafkaClients kafka;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final long mostBytes;

    /** By topic: how many partitions it has; 0 where it does not exist. */
    private final Map<String, Integer> partitions = new HashMap<>();

    /** What was read, those asked for last at the end. */
    private final LinkedHashMap<Place, byte[]> kept = new LinkedHashMap<>(64, 0.75f, true);

    private long keptBytes;

    /**
     * A look-up.
     *
     * @param mostBytes of messages that are kept; the last one read always is
     */
    public MessageLookup(KafkaClients kafka, long mostBytes) {
        this.kafka = kafka;
        this.consumer = kafka.exactConsumer();
        this.mostBytes = mostBytes;
    }

    /**
     * The value of a message; null where it is not there: it was deleted, or never came.
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
                            "the broker does not give offset %d of partition %d of topic %s; is it up?"
                                    .formatted(
                                            place.offset,
                                            partition.partition(),
                                            partition.topic()));
                }
            }
        } catch (OffsetOutOfRangeException e) {
            return null; // deleted; where messages begin now, nobody asked
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
