package dev.sluice.lab.corridor;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.lab.kit.Workers;
import dev.sluice.schemas.codec.PacketMessages;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Kafka's own clients and nothing else: each of as many threads as the job has subtasks reads its
 * part of the partitions, and writes as many bytes as the verdicts have, in transactions.
 *
 * @param verdictBytes bytes of a verdict
 */
record KafkaContender(double verdictBytes) implements Contender {
    private static final Duration POLL = Duration.ofMillis(100);

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public Running start(Track track) {
        Workers workers = new Workers("Kafka alone failed");
        for (int i = 0; i < track.site().options.parallelism; i++) {
            int number = i;
            workers.start(
                    "copy " + i,
                    () -> {
                        KafkaClients clients = new KafkaClients(track.site().bootstrap);
                        try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer();
                                KafkaProducer<byte[], byte[]> producer =
                                        clients.transactionalProducer(
                                                "copy-" + number, Duration.ofMinutes(1))) {
                            copy(number, track, workers, consumer, producer);
                        }
                    });
        }
        return new Running(workers::check, workers::close, null);
    }

    private void copy(
            int number,
            Track track,
            Workers workers,
            KafkaConsumer<byte[], byte[]> consumer,
            KafkaProducer<byte[], byte[]> producer)
            throws Exception {
        List<TopicPartition> own =
                consumer.partitionsFor(track.packets()).stream()
                        .map(p -> new TopicPartition(p.topic(), p.partition()))
                        .filter(p -> p.partition() % track.site().options.parallelism == number)
                        .toList();
        consumer.assign(own);
        consumer.seekToBeginning(own);
        producer.initTransactions();
        while (!workers.stopped()) {
            producer.beginTransaction();
            long commit = System.nanoTime() + track.site().options.checkpoints.toNanos();
            while (!workers.stopped() && System.nanoTime() - commit < 0) {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                    int count = PacketMessages.decode(message.value(), 1).count();
                    byte[] verdicts = Contender.message(count, (int) (count * verdictBytes));
                    var unused =
                            producer.send(
                                    new ProducerRecord<>(
                                            track.verdicts(), message.key(), verdicts));
                }
            }
            producer.commitTransaction();
        }
    }
}
