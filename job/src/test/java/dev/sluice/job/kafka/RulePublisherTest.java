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
class RulePublisherTest {

    @Test
    void aCommitThatArrivesAfterTheBrokerAbortedForAnotherPublisherIsFenced() {
        assertTrue(RulePublisher.fenced(new InvalidTxnStateException("invalid state")));
        assertTrue(
                RulePublisher.fenced(
                        new KafkaException("in error", new InvalidTxnStateException("invalid"))));
        assertTrue(RulePublisher.fenced(new ProducerFencedException("fenced")));
        assertTrue(RulePublisher.fenced(new InvalidProducerEpochException("epoch")));
        assertTrue(RulePublisher.fenced(new TransactionAbortableException("not verified")));
        KafkaException other = new KafkaException("in an error state");
        assertFalse(RulePublisher.fenced(other));
        other.addSuppressed(new ProducerFencedException("fenced, as the abort says"));
        assertTrue(RulePublisher.fenced(other));
    }

    @Test
    void aBrokerOutOfReachIsNot() {
        assertFalse(RulePublisher.fenced(new TimeoutException("60000 ms")));
        assertFalse(
                RulePublisher.fenced(
                        new KafkaException("in error", new TimeoutException("60000 ms"))));
    }
}
