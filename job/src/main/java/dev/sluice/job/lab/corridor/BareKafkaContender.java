package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.schemas.codec.PacketMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Kafka's own clients and nothing else: each of as many threads as the job has subtasks reads its
 * part of the partitions, and writes as many bytes as the verdicts have, in transactions.
 *
 * @param verdictBytes bytes of a verdict
 */
record BareKafkaContender(double verdictBytes) implements Contender {
    private static final Duration POLL = Duration.ofMillis(100);

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public Running start(Track track) {
        return new Copying(track, verdictBytes);
    }

    @Override
    public int headers(byte[] message) {
        return VerdictStub.headers(message);
    }

    private static final class Copying implements Running {
        private final Track track;
        private final double verdictBytes;
        private final List<Thread> threads = new ArrayList<>();
        private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        private volatile boolean closed;

        Copying(Track track, double verdictBytes) {
            this.track = track;
            this.verdictBytes = verdictBytes;
            for (int i = 0; i < track.parallelism(); i++) {
                int number = i;
                Thread thread = new Thread(() -> run(number), "copy " + i);
                thread.setDaemon(true);
                threads.add(thread);
                thread.start();
            }
        }

        private void run(int number) {
            KafkaClients clients = new KafkaClients(track.bootstrap());
            try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
                    KafkaProducer<byte[], byte[]> producer =
                            clients.transactionalProducer(
                                    "copy-" + number, Duration.ofMinutes(1))) {
                copy(number, consumer, producer);
            } catch (Exception e) {
                failure.compareAndSet(null, e);
            }
        }

        private void copy(
                int number,
                KafkaConsumer<byte[], byte[]> consumer,
                KafkaProducer<byte[], byte[]> producer)
                throws Exception {
            List<TopicPartition> own =
                    consumer.partitionsFor(track.packets()).stream()
                            .map(p -> new TopicPartition(p.topic(), p.partition()))
                            .filter(p -> p.partition() % track.parallelism() == number)
                            .toList();
            consumer.assign(own);
            consumer.seekToBeginning(own);
            producer.initTransactions();
            producer.beginTransaction();
            long commit = System.nanoTime() + track.checkpoints().toNanos();
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                    int count = PacketMessages.decode(message.value(), 1).count();
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            track.verdicts(),
                                            message.key(),
                                            VerdictStub.message(
                                                    count, (int) (count * verdictBytes))));
                }
                if (System.nanoTime() - commit >= 0) {
                    producer.commitTransaction();
                    producer.beginTransaction();
                    commit = System.nanoTime() + track.checkpoints().toNanos();
                }
            }
            producer.commitTransaction();
        }

        @Override
        public void requireRunning() {
            Exception e = failure.get();
            if (e != null) {
                throw new SluiceException("Kafka alone failed: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            closed = true;
            Threads.join(threads);
        }
    }
}
