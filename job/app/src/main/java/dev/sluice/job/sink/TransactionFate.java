package dev.sluice.job.sink;

import dev.sluice.job.kafka.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;

/**
 * Outcome of a transaction that Kafka does not commit any more. Kafka keeps the last state of each
 * transactional id, for seven days if it is set no otherwise, and no history of it.
 */
public enum TransactionFate {
    /** It was committed before: a job that goes on from a checkpoint commits once more. */
    COMMITTED,
    /** Kafka, or a producer of the same id, ended it without a commit. */
    ABORTED,
    /** Its id has served another transaction since, or Kafka has forgotten it. */
    UNKNOWN;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Asks Kafka.
     *
     * @param producerId of the producer that pre-committed it
     * @param epoch of that producer; Kafka counts it up as a transaction ends
     * @throws ExecutionException if Kafka does not answer
     */
    public static TransactionFate of(
            KafkaClients kafka, String transactionalId, long producerId, short epoch)
            throws ExecutionException, InterruptedException {
        try (Admin admin = kafka.admin(PATIENCE)) {
            return of(
                    admin.describeTransactions(List.of(transactionalId))
                            .description(transactionalId)
                            .get(),
                    producerId,
                    epoch);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TransactionalIdNotFoundException) {
                return UNKNOWN;
            }
            throw e;
        }
    }

    private static TransactionFate of(TransactionDescription now, long producerId, short epoch) {
        int ends = now.producerEpoch() - epoch;
        if (now.producerId() != producerId || ends < 0 || ends > 1) {
            return UNKNOWN;
        }
        return switch (now.state()) {
            case COMPLETE_COMMIT, PREPARE_COMMIT -> COMMITTED;
            case COMPLETE_ABORT, PREPARE_ABORT, PREPARE_EPOCH_FENCE -> ABORTED;
            // A producer that resumes a transaction begins a new epoch behind its commit. Kafka
            // does so when it ends one itself, so that the next one would be two epochs later.
            case EMPTY -> ends == 1 ? COMMITTED : UNKNOWN;
            case ONGOING, UNKNOWN -> UNKNOWN;
        };
    }
}
