package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/** Idempotent producer that reports its first failure at the next call. Thread-safe. */
public final class MessageProducer implements AutoCloseable {
    private final Producer<byte[], byte[]> producer;
    private final KafkaClients kafka;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** Opens a producer. */
    public MessageProducer(KafkaClients kafka) {
        this(kafka, CompressionType.NONE);
    }

    /** Opens a producer that compresses its batches. */
    public MessageProducer(KafkaClients kafka, CompressionType compression) {
        this(kafka, kafka.producer(compression));
    }

    /** Wraps a producer, which is closed with this one. */
    MessageProducer(KafkaClients kafka, Producer<byte[], byte[]> producer) {
        this.kafka = kafka;
        this.producer = producer;
    }

    /** Opens a producer that retries while its broker is away, up to a time. */
    public static MessageProducer patient(KafkaClients kafka, Duration away) {
        return new MessageProducer(kafka, kafka.patientProducer(away));
    }

    /**
     * Fetches a topic's metadata, so that the first message need not wait for them; returns the
     * number of partitions.
     */
    public int open(String topic) {
        try {
            return producer.partitionsFor(topic).size();
        } catch (TimeoutException e) {
            throw new SluiceException(
                    "the Kafka broker at %s does not tell where topic %s is: %s"
                            .formatted(kafka, topic, e.getMessage()),
                    e);
        }
    }

    /**
     * Sends a message; blocks while the producer's buffer is full. Key and value are copied to that
     * buffer before the method returns.
     */
    public void send(String topic, byte @Nullable [] key, byte[] value) {
        send(topic, null, key, value);
    }

    /**
     * Sends a message to a partition as {@link #send(String, byte[], byte[])} does; null: the
     * partition of the key.
     */
    public void send(
            String topic, @Nullable Integer partition, byte @Nullable [] key, byte[] value) {
        check();
        try {
            var unused =
                    producer.send(
                            new ProducerRecord<>(topic, partition, key, value),
                            (metadata, e) -> {
                                if (e != null) {
                                    failure.compareAndSet(null, e);
                                }
                            });
        } catch (TimeoutException e) {
            throw new SluiceException(
                    "the Kafka broker at " + kafka + " takes no more messages: " + e.getMessage(),
                    e);
        }
    }

    /** Waits until every message is stored. */
    public void flush() {
        producer.flush();
        check();
    }

    private void check() {
        Exception e = failure.get();
        if (e instanceof BufferExhaustedException) {
            throw new SluiceException(
                    "the Kafka broker at %s takes no messages any more; see whether it runs, and whether its disk has room"
                            .formatted(kafka),
                    e);
        }
        if (e != null) {
            throw new SluiceException(
                    "a message could not be sent to the Kafka broker at %s: %s"
                            .formatted(kafka, e.getMessage()),
                    e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
