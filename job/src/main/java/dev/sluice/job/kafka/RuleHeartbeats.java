package dev.sluice.job.kafka;

import dev.sluice.job.SluiceException;
import dev.sluice.schemas.codec.RuleChange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends heartbeats to a rules topic: that no other version will come into force up to a time, so
 * that packets of live jobs in event time need not wait for one.
 *
 * <p>Heartbeats belong to no transaction, so that they fence no publisher and make no base stale. A
 * version that is published with a time of its own must come into force after the last of them.
 *
 * <p>Not thread-safe.
 */
public final class RuleHeartbeats implements AutoCloseable {
    private final String bootstrap;
    private final String topic;
    private final PartitionReader reader;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RuleScan scan = new RuleScan((entry, transaction) -> {});

    /** Offset behind what was read. */
    private long next;

    /** Heartbeats for a topic, which must exist. */
    public RuleHeartbeats(String bootstrap, String topic) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.next = RuleTopic.newestSnapshot(bootstrap, topic, null);
        this.reader = new PartitionReader(bootstrap, topic);
        this.producer = new KafkaClients(bootstrap).producer();
    }

    /**
     * Sends a heartbeat.
     *
     * @param untilNs event time, ns since 1970 UTC, up to which no other version will come into
     *     force
     * @return the newest version, which it names
     * @throws SluiceException if the topic holds no rules, or Kafka does not take it
     */
    public long send(long untilNs) {
        long end = reader.committedEnd();
        reader.read(next, end, scan);
        next = Math.max(next, end);
        if (scan.book().isEmpty()) {
            throw new SluiceException(
                    "topic %s holds no rules, so that a heartbeat would say nothing; publish some with sluice rules publish"
                            .formatted(topic));
        }
        long version = scan.newestVersion();
        byte[] message = RuleChange.heartbeat(scan.book().history(), version, untilNs).encode();
        ProducerRecord<byte[], byte[]> heartbeat = new ProducerRecord<>(topic, 0, null, message);
        // Readers look for the newest snapshot in the last records, which heartbeats may be.
        byte[] snapshot = ByteBuffer.allocate(Long.BYTES).putLong(scan.snapshotOffset()).array();
        heartbeat.headers().add(RuleScan.SNAPSHOT, snapshot);
        try {
            producer.send(heartbeat).get();
        } catch (ExecutionException e) {
            throw new SluiceException(
                    "the Kafka broker at %s does not take a heartbeat for topic %s: %s"
                            .formatted(bootstrap, topic, e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted while a heartbeat was sent", e);
        }
        return version;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        reader.close();
    }
}
