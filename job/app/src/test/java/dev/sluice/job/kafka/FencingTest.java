package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.junit.jupiter.api.Test;

/** What Kafka says when another publisher took the topic over. */
class FencingTest {

    @Test
    void aCommitThatArrivesAfterTheBrokerAbortedForAnotherPublisherIsFenced() {
        assertTrue(Fencing.isIn(new InvalidTxnStateException("invalid state")));
        assertTrue(
                Fencing.isIn(
                        new KafkaException("in error", new InvalidTxnStateException("invalid"))));
        assertTrue(Fencing.isIn(new ProducerFencedException("fenced")));
        assertTrue(Fencing.isIn(new InvalidProducerEpochException("epoch")));
        assertTrue(Fencing.isIn(new TransactionAbortableException("not verified")));
        KafkaException other = new KafkaException("in an error state");
        assertFalse(Fencing.isIn(other));
        other.addSuppressed(new ProducerFencedException("fenced, as the abort says"));
        assertTrue(Fencing.isIn(other));
    }

    @Test
    void aBrokerOutOfReachIsNot() {
        assertFalse(Fencing.isIn(new TimeoutException("60000 ms")));
        assertFalse(Fencing.isIn(new KafkaException("in error", new TimeoutException("60000 ms"))));
    }
}
