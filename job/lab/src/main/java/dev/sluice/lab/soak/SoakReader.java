package dev.sluice.lab.soak;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.lab.kit.Workers;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Hands what a job has committed to a check, in a thread of its own. */
final class SoakReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final TopicReader reader;
    private final TopicNames names;
    private final SoakCheck check;
    private final SoakRules rules;
    private final Workers workers = new Workers("verdicts cannot be read");

    SoakReader(String bootstrap, TopicNames names, SoakCheck check, SoakRules rules) {
        this.names = names;
        this.check = check;
        this.rules = rules;
        reader =
                new TopicReader(
                        new KafkaClients(bootstrap),
                        List.of(names.verdicts(), names.deadLetters()));
        workers.start("soak reader", this::run);
    }

    private void run() throws InterruptedException {
        try (reader) {
            while (!workers.stopped()) {
                poll();
            }
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                poll();
            }
        }
    }

    private void poll() throws InterruptedException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
            try {
                if (message.topic().equals(names.verdicts())) {
                    VerdictBlock block = VerdictBlock.decode(message.value());
                    rules.await(block.versionOf(block.count() - 1));
                    check.take(block);
                } else {
                    check.take(DeadLetter.decode(message.value()));
                }
            } catch (MalformedMessageException e) {
                throw new SluiceException(
                        "message %d of partition %d of %s cannot be read: %s"
                                .formatted(
                                        message.offset(),
                                        message.partition(),
                                        message.topic(),
                                        e.getMessage()),
                        e);
            }
        }
    }

    /** Fails if something could not be read. */
    void check() {
        workers.check();
    }

    /** Reads to what is the end now, and no more. */
    void stop() throws InterruptedException {
        workers.stop();
    }

    @Override
    public void close() {
        workers.close();
    }
}
