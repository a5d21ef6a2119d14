package dev.sluice.job.sink;

import dev.sluice.job.kafka.CommittedPlace;
import dev.sluice.job.kafka.KafkaClients;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Description of a lost transaction, which a checkpoint contains but Kafka has ended. It names the
 * lost output, the offsets of its packets, and the remedy.
 *
 * @param kafka brokers
 * @param packets the packets topic
 * @param group consumer group of the packets, which commits offsets with checkpoints
 * @param output content of the transaction, in words
 * @param timeout after which Kafka ends an open transaction
 */
public record LostTransaction(
        KafkaClients kafka, String packets, String group, String output, Duration timeout)
        implements Serializable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Describes the loss and the remedy to the user.
     *
     * @param checkpoint that ends the transaction
     * @param fate {@link TransactionFate#ABORTED} or {@link TransactionFate#UNKNOWN}
     */
    public String sentence(String transactionalId, long checkpoint, TransactionFate fate)
            throws InterruptedException {
        String lost =
                fate == TransactionFate.ABORTED
                        ? "Kafka has ended transaction %s without committing it, so the %s of checkpoint %d are lost"
                        : "transaction %s can not be committed any more, and Kafka does not tell whether it was before: the %s of checkpoint %d may be lost";
        return lost.formatted(transactionalId, output, checkpoint)
                + ". It was open for longer than --transaction-timeout (%d s), as while the broker or the job was down, or another job has its --transactional-id-prefix. The job stops. "
                        .formatted(timeout.toSeconds())
                + from(checkpoint)
                + " To have them classified again, delete checkpoint %d (its folder chk-%d; where that failed, the newest one behind it) and start the job from the one before; where that is not kept, set group %s back to these offsets (kafka-consumer-groups.sh --reset-offsets) and start the job without a checkpoint and with --from committed. What was committed of checkpoint %d then comes twice"
                        .formatted(checkpoint, checkpoint, group, checkpoint);
    }

    private String from(long checkpoint) throws InterruptedException {
        TreeMap<Integer, String> places = new TreeMap<>();
        try (Admin admin = kafka.admin(PATIENCE)) {
            committed(admin)
                    .forEach(
                            (partition, at) -> {
                                if (partition.topic().equals(packets) && at != null) {
                                    places.put(partition.partition(), place(at, checkpoint));
                                }
                            });
        } catch (ExecutionException e) {
            return "From which offsets on they are missing is not known, since Kafka does not answer: %s."
                    .formatted(e.getMessage());
        }
        return places.isEmpty()
                ? "From which offsets on they are missing is not known, since the job's group has committed none."
                : "They are of packets of topic %s from here on: %s."
                        .formatted(
                                packets,
                                places.entrySet().stream()
                                        .map(at -> "partition " + at.getKey() + " " + at.getValue())
                                        .collect(Collectors.joining(", ")));
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(Admin admin)
            throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }

    /** Describes the place of a partition at the last checkpoint before a given one. */
    private static String place(OffsetAndMetadata committed, long checkpoint) {
        Optional<CommittedPlace> note = CommittedPlace.parse(committed.metadata());
        if (note.isEmpty()) {
            return "offset %d or before it (it has no note of a checkpoint)"
                    .formatted(committed.offset());
        }
        CommittedPlace noted = note.get();
        if (noted.checkpoint() < checkpoint) {
            return offset(committed.offset(), noted.checkpoint());
        }
        return noted.before() < checkpoint // a failed one, or a savepoint, leaves it to the next
                ? offset(noted.offsetBefore(), noted.before())
                : "not known: its group is at offset %d, of checkpoint %d"
                        .formatted(committed.offset(), noted.checkpoint());
    }

    private static String offset(long offset, long checkpoint) {
        return (offset < 0 ? "where the job began" : "offset " + offset)
                + (checkpoint == 0 ? "" : " (checkpoint " + checkpoint + ")");
    }
}
