package dev.sluice.lab.corridor;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.lab.kit.Workers;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Readers of a topic of verdicts from its start, in threads that have a part of its partitions
 * each, so that the measurement keeps up with a job of many subtasks.
 */
final class VerdictReaders implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(50);

    /** Subtasks of a job whose verdicts one thread reads. */
    private static final int SUBTASKS_A_THREAD = 4;

    /**
     * A message of verdicts.
     *
     * @param leftMillis when it left the job, ms since 1970 UTC
     * @param headers that it judges
     * @param bytes of the message
     * @param sentMillis when the last of them was sent, ms since 1970 UTC; 0 where nobody asks, or
     *     the message does not say
     * @param version of the rules that judged them; 0 where nobody asks
     */
    record Read(long leftMillis, int headers, int bytes, long sentMillis, long version) {}

    /** Meaning of a message; asked by several threads. */
    interface Meaning {
        Read of(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException;
    }

    private final Workers workers = new Workers("verdicts cannot be read");

    /**
     * Begins to read.
     *
     * @param committed whether to wait for transactions to be committed
     * @param subtasks of the job
     * @param taker receives the messages of one poll at a time, one call after another
     */
    VerdictReaders(
            String bootstrap,
            String topic,
            boolean committed,
            int subtasks,
            Meaning meaning,
            Consumer<List<Read>> taker) {
        int parts = (subtasks + SUBTASKS_A_THREAD - 1) / SUBTASKS_A_THREAD;
        for (int i = 0; i < parts; i++) {
            int part = i;
            workers.start(
                    UsageMeter.BENCH_THREAD + " " + i,
                    () -> {
                        try (TopicReader reader =
                                TopicReader.part(
                                        new KafkaClients(bootstrap),
                                        topic,
                                        committed,
                                        part,
                                        parts)) {
                            read(reader, meaning, taker);
                        }
                    });
        }
    }

    private void read(TopicReader reader, Meaning meaning, Consumer<List<Read>> taker) {
        while (!workers.stopped()) {
            List<Read> all = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                try {
                    all.add(meaning.of(message));
                } catch (MalformedMessageException e) {
                    throw new SluiceException(
                            "a verdict cannot be read: " + e.reason() + ": " + e.detail(), e);
                }
            }
            if (!all.isEmpty()) {
                synchronized (taker) {
                    taker.accept(all);
                }
            }
        }
    }

    /**
     * Fails if a thread has.
     *
     * @throws SluiceException saying why
     */
    void check() {
        workers.check();
    }

    @Override
    public void close() {
        workers.close();
    }
}
