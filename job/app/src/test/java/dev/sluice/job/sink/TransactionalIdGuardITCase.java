package dev.sluice.job.sink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job that runs is told from one that was killed, by the transactions of its sinks. */
@Timeout(120)
class TransactionalIdGuardITCase {
    private static final Duration CHECKPOINTS = Duration.ofMillis(100);

    @TempDir private Path folder;

    private static KafkaProducer<byte[], byte[]> open(KafkaClients clients, String id)
            throws Exception {
        KafkaProducer<byte[], byte[]> producer =
                clients.transactionalProducer(id, Duration.ofMinutes(5));
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(TopicNames.RULES, "message".getBytes(UTF_8))).get();
        return producer;
    }

    @Test
    void whoBeginsMoreTransactionsRunsAndWhatStaysOpenDoesNot() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"), 0)) {
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
                access.createTopics(KafkaAccess.newTopics(TopicNames.defaults(), 1));
            }
            KafkaClients clients = new KafkaClients(broker.bootstrap());
            try (KafkaProducer<byte[], byte[]> foreign = open(clients, "a-rules-publisher:t");
                    TransactionalIdGuard nobody =
                            new TransactionalIdGuard(new KafkaClients(broker.bootstrap()), "a")) {
                assertFalse(nobody.mayRun(), "a publisher is no job");
            }
            try (KafkaProducer<byte[], byte[]> killed = open(clients, "a-verdicts-0-1");
                    TransactionalIdGuard other =
                            new TransactionalIdGuard(new KafkaClients(broker.bootstrap()), "a")) {
                assertTrue(other.mayRun());
                other.requireAbsent(CHECKPOINTS);
                try (KafkaProducer<byte[], byte[]> next = open(clients, "a-verdicts-0-2")) {
                    SluiceException runs =
                            assertThrows(
                                    SluiceException.class, () -> other.requireAbsent(CHECKPOINTS));
                    assertTrue(
                            runs.getMessage().contains("it has begun transaction a-verdicts-0-2"),
                            runs.getMessage());
                }
            }
        }
    }
}
