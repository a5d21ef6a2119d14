package dev.sluice.job.sink;

import dev.sluice.job.kafka.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;

/**
 * Outcome of a transaction that Kafka no longer commits. Kafka keeps the last state of each
 * transactional id, for seven days by default, and no history.
 */
public enum TransactionFate {
    /** It was committed before: a job that resumes from a checkpoint commits once more. */
    COMMITTED,
    /** Kafka, or a producer of the same id, ended it without a commit. */
    ABORTED,
    /** Its id has served another transaction since, or Kafka has forgotten the id. */
    UNKNOWN;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * Asks Kafka for the outcome.
     *
     * @param producerId of the producer that pre-committed it
     * @param epoch of that producer; Kafka increments it when a transaction ends
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
            // A producer that resumes a transaction begins a new epoch after its commit. If Kafka
            // ended the transaction, it began an epoch too: the next producer would be two later.
            case EMPTY -> ends == 1 ? COMMITTED : UNKNOWN;
            case ONGOING, UNKNOWN -> UNKNOWN;
        };
    }
}
