package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.RuleChange;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;

/**
 * Sends heartbeats to a rules topic: that no other version will come into force up to a time, so
 * that packets of live jobs in event time need not wait for one.
 *
 * <p>These belong to no transaction, so that they fence no publisher and make no base stale; a
 * publisher at work may send its own in between ({@link RulePublisher#heartbeat}). A version that
 * is published with a time of its own must come into force after the last of them.
 *
 * <p>Not thread-safe.
 */
public final class RuleHeartbeats implements AutoCloseable {
    private static final RuleScan.Sink NOBODY = (entry, version) -> {};

    private final KafkaClients kafka;
    private final String name;
    private final RuleTopic topic;
    private final KafkaProducer<byte[], byte[]> producer;

    /** Scan of the messages that were read. */
    private RuleScan scan = new RuleScan(NOBODY);

    /** The topic that was read, which one of the same name may have replaced. */
    private Uuid read = Uuid.ZERO_UUID;

    /** Heartbeats for a topic, which must exist. */
    public RuleHeartbeats(KafkaClients kafka, String name) {
        this.kafka = kafka;
        this.name = name;
        this.topic = new RuleTopic(kafka, name);
        this.producer = kafka.producer();
    }

    /** Reads what was published since the last heartbeat; all, if that is gone. */
    private void catchUp() {
        Uuid id = topic.id();
        long end = topic.committedEnd();
        if (!id.equals(read) || end < scan.next() || scan.next() < topic.start()) {
            scan = new RuleScan(NOBODY, topic.readFrom(end));
            read = id;
        }
        topic.readOn(scan);
    }

    /**
     * Sends a heartbeat. If it fails, another may be sent.
     *
     * @param untilNs event time, ns since 1970 UTC, up to which no other version will come into
     *     force
     * @return the newest version, which it names
     * @throws SluiceException if the topic holds no rules, or Kafka does not take it
     */
    public long send(long untilNs) {
        catchUp();
        if (scan.book().isEmpty()) {
            throw new SluiceException(
                    "topic %s holds no rules, so that a heartbeat would say nothing; publish some with sluice rules publish"
                            .formatted(name));
        }
        long version = scan.newestVersion();
        String history = scan.book().history();
        try {
            producer.send(record(name, history, version, untilNs, scan.snapshotOffset())).get();
        } catch (ExecutionException e) {
            throw new SluiceException(
                    "the Kafka broker at %s does not take a heartbeat for topic %s: %s"
                            .formatted(kafka, name, e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted while a heartbeat was sent", e);
        }
        return version;
    }

    /**
     * The record of a heartbeat.
     *
     * @param version the newest version of the history
     * @param snapshotOffset where the newest snapshot begins
     */
    static ProducerRecord<byte[], byte[]> record(
            String topic, String history, long version, long untilNs, long snapshotOffset) {
        byte[] message = RuleChange.heartbeat(history, version, untilNs).encode();
        ProducerRecord<byte[], byte[]> heartbeat = new ProducerRecord<>(topic, 0, null, message);
        // Readers look for the newest snapshot in the last records, which heartbeats may be.
        byte[] snapshot = ByteBuffer.allocate(Long.BYTES).putLong(snapshotOffset).array();
        heartbeat.headers().add(RuleScan.SNAPSHOT, snapshot);
        return heartbeat;
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        topic.close();
    }
}
