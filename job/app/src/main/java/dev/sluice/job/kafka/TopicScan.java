package dev.sluice.job.kafka;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Scan of the committed messages of one topic from a place on, without a consumer group. It ends at
 * the present end, or never.
 *
 * <p>Messages of one partition are in order; messages of several partitions are in the order of
 * their arrival. Not thread-safe.
 */
public final class TopicScan implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final TopicReader reader;

    /** Offsets to read up to; null: without end. */
    private final @Nullable Map<TopicPartition, Long> ends;

    /** Receiver of messages. */
    public interface Visitor {
        /** Takes a message; returns whether further ones are wanted. */
        boolean take(ConsumerRecord<byte[], byte[]> message);

        /** Notes that there is no message at present; returns whether to wait for more. */
        default boolean pause() {
            return true;
        }
    }

    /**
     * Opens a scan.
     *
     * @param from {@code earliest}, {@code latest}, or a time of Kafka's messages in ISO-8601, such
     *     as {@code 2026-11-22T14:00:00Z}
     * @param follow whether to wait for further messages at the end
     * @throws SluiceException if no broker answers or the topic does not exist
     * @throws UsageException if {@code from} has none of these forms
     */
    public TopicScan(KafkaClients kafka, String topic, String from, boolean follow) {
        this(kafka, topic, from, null, follow);
    }

    /**
     * Opens a scan of the messages before a time.
     *
     * @param from {@code earliest}, {@code latest}, or a time in ISO-8601
     * @param to time of Kafka's messages; null: the present end
     */
    public TopicScan(KafkaClients kafka, String topic, String from, @Nullable Instant to) {
        this(kafka, topic, from, to, false);
    }

    private TopicScan(
            KafkaClients kafka, String topic, String from, @Nullable Instant to, boolean follow) {
        Instant time = time(from);
        KafkaAccess.requireReadable(kafka, topic);
        reader = new TopicReader(kafka, List.of(topic));
        try {
            Map<TopicPartition, Long> now = reader.ends();
            ends = follow ? null : to == null ? now : reader.ends(to);
            if (!time.equals(Instant.MIN)) {
                reader.from(time, now);
            }
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    /**
     * Parses the time at which a scan begins; the least time stands for the start, the greatest for
     * the end.
     *
     * @throws UsageException if {@code from} is no place in a topic
     */
    public static Instant time(String from) {
        return switch (from.toLowerCase(Locale.ROOT)) {
            case "earliest" -> Instant.MIN;
            case "latest" -> Instant.MAX;
            default -> {
                try {
                    yield Instant.parse(from);
                } catch (DateTimeParseException e) {
                    throw new UsageException(
                            "--from %s is no place in a topic; write earliest, latest or a time such as 2026-11-22T14:00:00Z"
                                    .formatted(from),
                            e);
                }
            }
        };
    }

    /** Passes messages to a visitor until it wants no more, or the end is reached. */
    public void forEach(Visitor visitor) {
        while (ends == null || !reader.reached(ends)) {
            ConsumerRecords<byte[], byte[]> messages = reader.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> message : messages) {
                if (isBefore(message) && !visitor.take(message)) {
                    return;
                }
            }
            if (messages.isEmpty() && !visitor.pause()) {
                return;
            }
        }
    }

    /** Returns whether a message lies before the end, behind which a poll may reach. */
    private boolean isBefore(ConsumerRecord<?, ?> message) {
        return ends == null
                || message.offset()
                        < ends.getOrDefault(
                                new TopicPartition(message.topic(), message.partition()), 0L);
    }

    @Override
    public void close() {
        reader.close();
    }
}
