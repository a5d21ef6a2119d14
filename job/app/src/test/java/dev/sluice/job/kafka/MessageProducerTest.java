package dev.sluice.job.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.policy.io.SluiceException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Failures that a producer learns of after a message was handed over. */
class MessageProducerTest {
    private static final byte[] VALUE = {1};

    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final MessageProducer producer =
            new MessageProducer(new KafkaClients("broker:9092"), kafka);

    private String failure(RuntimeException e) {
        producer.send("packets", null, VALUE);
        kafka.errorNext(e);
        return assertThrows(SluiceException.class, () -> producer.send("packets", null, VALUE))
                .getMessage();
    }

    @Test
    void aBrokerThatTakesNoMessagesAnyMoreIsNamedWithWhatToLookAt() {
        assertEquals(
                "the Kafka broker at broker:9092 takes no messages any more; see whether it runs, and whether its disk has room",
                failure(new BufferExhaustedException("no memory within 30000 ms")));
    }

    @Test
    void anotherFailureIsToldInItsOwnWords() {
        assertEquals(
                "a message could not be sent to the Kafka broker at broker:9092: too large",
                failure(new RecordTooLargeException("too large")));
    }

    @Test
    void aFailureOfTheLastMessageIsToldByFlush() {
        producer.send("packets", null, VALUE);
        kafka.errorNext(new BufferExhaustedException("full"));
        assertThrows(SluiceException.class, producer::flush);
    }
}
