package dev.sluice.job.kafka;

import java.util.stream.Stream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TransactionAbortableException;

/** Recognition of failures that mean that another producer took a transactional id. */
public final class Fencing {
    private Fencing() {}

    /**
     * Tells whether another publisher fenced this one.
     *
     * <p>If the broker aborts a transaction for another publisher while its commit is under way, it
     * answers that the transaction's state is invalid, not that the producer is fenced
     * (KAFKA-20785). A later message belongs to no transaction, and the broker asks to abort
     * (KIP-890). If only ending the transaction showed the fencing, that failure is suppressed in
     * the first one.
     */
    public static boolean isIn(KafkaException e) {
        // Kafka's exceptions may be each other's causes.
        return ExceptionUtils.getThrowableList(e).stream()
                .flatMap(t -> Stream.concat(Stream.of(t), Stream.of(t.getSuppressed())))
                .anyMatch(Fencing::fences);
    }

    private static boolean fences(Throwable e) {
        return e instanceof ProducerFencedException
                || e instanceof InvalidProducerEpochException
                || e instanceof InvalidTxnStateException
                || e instanceof TransactionAbortableException;
    }
}
