package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What counts as silence of a topic that is followed. */
@Timeout(120)
class PartitionReaderITCase {
    @TempDir Path folder;

    /** For how long there was no message, as told; -1: a message came. */
    private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

    private static void send(KafkaProducer<byte[], byte[]> producer) {
        producer.send(new ProducerRecord<>(TopicNames.RULES, "message".getBytes(UTF_8)));
        producer.flush();
    }

    /** Waits until the silence is told to be shorter than before, without a message. */
    private void awaitSilenceAnew() throws InterruptedException {
        long before = -1;
        while (true) {
            long nanos = told.take();
            if (nanos >= 0 && nanos < before) {
                return;
            }
            before = nanos;
        }
    }

    private void awaitSilence(Duration length) throws InterruptedException {
        while (told.take() < length.toNanos()) {
            // it grows
        }
    }

    @Test
    void whatLiesBehindAnOpenTransactionIsNoSilence() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"), 0)) {
            try (KafkaAccess access = new KafkaAccess(new KafkaClients(broker.bootstrap()))) {
                access.createTopics(KafkaAccess.newTopics(TopicNames.defaults(), 1));
            }
            Thread following = new Thread(() -> follow(broker.bootstrap()));
            following.start();
            KafkaClients clients = new KafkaClients(broker.bootstrap());
            try (KafkaProducer<byte[], byte[]> dies =
                            clients.transactionalProducer("dies", Duration.ofMinutes(5));
                    KafkaProducer<byte[], byte[]> other = clients.producer()) {
                awaitSilence(Duration.ofSeconds(3));
                dies.initTransactions();
                dies.beginTransaction();
                send(dies);
                send(other); // nobody sees it
                awaitSilenceAnew();
                for (int i = 0; i < 12; i++) {
                    assertEquals(0, told.take(), "silence behind an open transaction");
                }
                dies.abortTransaction();
                List<Long> before = new ArrayList<>();
                while (!before.contains(-1L)) {
                    before.add(told.take());
                }
                awaitSilence(Duration.ofSeconds(3));
            } finally {
                following.interrupt();
                following.join();
            }
        }
    }

    private void follow(String bootstrap) {
        try (PartitionReader reader =
                new PartitionReader(new KafkaClients(bootstrap), TopicNames.RULES)) {
            reader.follow(0, message -> told.add(-1L), told::add);
        } catch (InterruptException e) {
            told.clear(); // the test is over
        }
    }
}
