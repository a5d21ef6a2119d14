package dev.sluice.lab.kit;

import dev.sluice.job.kafka.TopicReader;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Threads that hand all messages of topics to a taker until they are stopped. */
public final class TopicTail implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(50);

    private final Workers workers;
    private final Taker taker;
    private volatile boolean toTheEnd;

    /** Taker of messages; called by all threads. */
    public interface Taker {
        /** Takes a message. */
        void take(ConsumerRecord<byte[], byte[]> message)
                throws MalformedMessageException, InterruptedException;
    }

    /**
     * Begins to read.
     *
     * @param thread name of the threads
     * @param readers one a thread, which the thread closes
     */
    public TopicTail(String thread, List<TopicReader> readers, Taker taker) {
        this.taker = taker;
        workers = new Workers("the topics of '" + thread + "' cannot be read");
        readers.forEach(reader -> workers.start(thread, () -> read(reader)));
    }

    private void read(TopicReader reader) throws InterruptedException {
        try (reader) {
            while (!workers.stopped()) {
                poll(reader);
            }
            var ends = reader.ends();
            while (toTheEnd && !reader.reached(ends)) {
                poll(reader);
            }
        }
    }

    private void poll(TopicReader reader) throws InterruptedException {
        for (ConsumerRecord<byte[], byte[]> message : reader.poll(POLL)) {
            try {
                taker.take(message);
            } catch (MalformedMessageException e) {
                throw new SluiceException(
                        "message %d of partition %d of %s cannot be read: %s: %s"
                                .formatted(
                                        message.offset(),
                                        message.partition(),
                                        message.topic(),
                                        e.reason(),
                                        e.detail()),
                        e);
            }
        }
    }

    /**
     * Fails if a thread has failed.
     *
     * @throws SluiceException saying why
     */
    public void check() {
        workers.check();
    }

    /**
     * Reads to what is the end now, and no more.
     *
     * @throws SluiceException if a thread has failed
     */
    public void stop() throws InterruptedException {
        toTheEnd = true;
        workers.stop();
    }

    @Override
    public void close() {
        workers.close();
    }
}
