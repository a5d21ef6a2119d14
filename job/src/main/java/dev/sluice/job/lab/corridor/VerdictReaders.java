package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a topic of verdicts from its start, in threads of its own that have a part of its
 * partitions each, so that the measurement keeps up with a job of many subtasks.
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
     */
    record Read(long leftMillis, int headers, int bytes, long sentMillis) {}

    /** What a message says; called by several threads. */
    interface Meaning {
        Read of(ConsumerRecord<byte[], byte[]> message) throws MalformedMessageException;
    }

    /** Takes messages of all threads, those of one poll at a time, one call after another. */
    interface Taker {
        void take(List<Read> messages);
    }

    private final Meaning meaning;
    private final Taker taker;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable SluiceException> failure = new AtomicReference<>();
    private volatile boolean closed;

    /**
     * Begins to read.
     *
     * @param committed whether to wait for transactions to be committed
     * @param subtasks of the job
     */
    VerdictReaders(
            String bootstrap,
            String topic,
            boolean committed,
            int subtasks,
            Meaning meaning,
            Taker taker) {
        this.meaning = meaning;
        this.taker = taker;
        int parts = (subtasks + SUBTASKS_A_THREAD - 1) / SUBTASKS_A_THREAD;
        for (int i = 0; i < parts; i++) {
            int part = i;
            Thread thread =
                    new Thread(
                            () -> run(bootstrap, topic, committed, part, parts),
                            ThreadGroups.BENCH_THREAD + " " + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void run(String bootstrap, String topic, boolean committed, int part, int parts) {
        try (TopicReader reader =
                TopicReader.part(new KafkaClients(bootstrap), topic, committed, part, parts)) {
            while (!closed) {
                List<Read> all = new ArrayList<>();
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
                    all.add(meaning.of(message));
                }
                if (!all.isEmpty()) {
                    synchronized (taker) {
                        taker.take(all);
                    }
                }
            }
        } catch (MalformedMessageException e) {
            fail("a verdict cannot be read: " + e.reason() + ": " + e.detail(), e);
        } catch (KafkaException | SluiceException e) {
            fail("verdicts cannot be read: " + e.getMessage(), e);
        }
    }

    private void fail(String why, Exception e) {
        failure.compareAndSet(null, new SluiceException(why, e));
    }

    /**
     * Fails if a thread has.
     *
     * @throws SluiceException saying why
     */
    void requireReading() {
        SluiceException e = failure.get();
        if (e != null) {
            throw e;
        }
    }

    @Override
    public void close() {
        closed = true;
        Threads.join(threads);
    }
}
