package dev.sluice.job.lab.soak;

import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Hands what a job has committed to a check, in a thread of its own. */
final class SoakReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final TopicReader reader;
    private final TopicNames names;
    private final SoakCheck check;
    private final SoakRules rules;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable RuntimeException failure;

    SoakReader(String bootstrap, TopicNames names, SoakCheck check, SoakRules rules) {
        this.names = names;
        this.check = check;
        this.rules = rules;
        reader =
                new TopicReader(
                        new KafkaClients(bootstrap),
                        List.of(names.verdicts(), names.deadLetters()));
        thread = new Thread(this::run, "soak reader");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!stopped) {
                poll();
            }
            var ends = reader.ends();
            while (!reader.reached(ends)) {
                poll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = e;
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
        RuntimeException e = failure;
        if (e != null) {
            throw e;
        }
    }

    /** Reads to what is the end now, and no more. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        check();
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join(Duration.ofSeconds(5).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!thread.isAlive()) {
            reader.close(); // it belongs to that thread else, and ends with the process
        }
    }
}
