package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reader of committed messages of a topic's first partition, between given offsets. */
public final class PartitionReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(75);

    /** Interval at which the broker is asked for the end while no message arrives. */
    private static final Duration ASKING = Duration.ofSeconds(1);

    private final KafkaClients clients;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final TopicPartition partition;

    public PartitionReader(KafkaClients kafka, String topic) {
        clients = kafka;
        consumer = clients.exactConsumer();
        partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
    }

    /** Returns the first available offset. */
    public long start() {
        return consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }

    /** Returns the offset after the last committed message. */
    public long committedEnd() {
        return consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    }

    /**
     * Returns the first offset whose message is not older than a time; the end if all are older.
     */
    public long offsetAt(long epochMillis) {
        OffsetAndTimestamp found =
                consumer.offsetsForTimes(Map.of(partition, epochMillis)).get(partition);
        return found == null ? committedEnd() : found.offset();
    }

    /**
     * Reads the messages from an offset up to, but not including, another.
     *
     * @throws SluiceException if messages were deleted, or an open transaction blocks them for
     *     longer than a publisher's transaction may take
     */
    public void read(long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> taker) {
        if (from >= to) {
            return;
        }
        consumer.seek(partition, from);
        long last = from;
        long since = System.nanoTime();
        while (consumer.position(partition) < to) {
            try {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                    if (message.offset() < to) {
                        taker.accept(message);
                    }
                }
            } catch (OffsetOutOfRangeException e) {
                throw new SluiceException(
                        "topic %s was deleted or truncated at offset %d while it was read; try again"
                                .formatted(partition.topic(), last),
                        e);
            }
            long position = consumer.position(partition);
            if (position > last) {
                last = position;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > PATIENCE.toNanos()) {
                throw new SluiceException(
                        ("topic %s gives nothing behind offset %d: its broker does not answer, or another producer"
                                        + " left a transaction open; kafka-transactions.sh lists and aborts such")
                                .formatted(partition.topic(), position));
            }
        }
    }

    /**
     * Reads the messages from an offset on as they arrive, until the thread is interrupted or
     * messages were deleted.
     *
     * @param quiet called again and again while there is no message, with the time in ns for which
     *     the partition is known to be idle. Idleness is unknown while an open transaction blocks
     *     messages, or the broker does not answer.
     * @return the first available offset, after the next messages were deleted
     */
    public long follow(
            long from, Consumer<ConsumerRecord<byte[], byte[]>> taker, LongConsumer quiet) {
        try (KafkaConsumer<byte[], byte[]> ends = clients.uncommittedConsumer()) {
            consumer.seek(partition, from);
            long since = System.nanoTime();
            long asked = since;
            while (true) {
                ConsumerRecords<byte[], byte[]> messages = consumer.poll(POLL);
                long now = System.nanoTime();
                if (!messages.isEmpty()) {
                    messages.forEach(taker);
                    since = System.nanoTime();
                    asked = since;
                    continue;
                }
                if (now - asked >= ASKING.toNanos()) {
                    boolean silent = isAtEnd(ends);
                    asked = System.nanoTime();
                    since = silent ? since : asked;
                }
                quiet.accept(asked - since);
            }
        } catch (OffsetOutOfRangeException e) {
            return start(); // the topic was truncated or recreated
        }
    }

    /**
     * Tells whether the broker has no messages after the reader's position.
     *
     * @param ends counts uncommitted messages, too
     */
    private boolean isAtEnd(KafkaConsumer<byte[], byte[]> ends) {
        try {
            Long end = ends.endOffsets(List.of(partition), ASKING).get(partition);
            return end != null && end <= consumer.position(partition);
        } catch (RetriableException e) {
            LOG.debug("where {} ends is not known", partition, e);
            return false;
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
