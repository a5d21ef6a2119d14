package dev.sluice.job.kafka;

import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionAbortableException;

/** Tells failures by which a producer learns that another one took its transactional id. */
public final class Fencing {
    private static final int DEEPEST = 20;

    private Fencing() {}

    /**
     * Whether Kafka took the transaction from this publisher. A commit on its way while the broker
     * aborts for another publisher arrives in a state that does not allow it, and the broker calls
     * it that rather than fenced (KAFKA-20785); a message on its way then finds no transaction that
     * it could belong to, and the broker asks to abort (KIP-890). Where only ending the transaction
     * showed who has it, that failure is beside the first one.
     */
    public static boolean isIn(KafkaException e) {
        // Kafka's exceptions may be each other's causes.
        Throwable cause = e;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++, cause = cause.getCause()) {
            if (fences(cause) || Stream.of(cause.getSuppressed()).anyMatch(Fencing::fences)) {
                return true;
            }
        }
        return false;
    }

    private static boolean fences(Throwable e) {
        return e instanceof ProducerFencedException
                || e instanceof InvalidProducerEpochException
                || e instanceof InvalidTxnStateException
                || e instanceof TransactionAbortableException;
    }
}
