package dev.sluice.job.lab.bench;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.VerdictBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads verdicts as the job sends them, before they are committed, in a thread of its own, and
 * notes of each block when it left the job, under which version, and how long it took.
 */
final class VerdictWatch implements AutoCloseable {
    /**
     * A block's verdicts.
     *
     * @param leftMillis when they left the job, ms since 1970 UTC
     * @param tookMillis since its packets were sent
     * @param version that judged them
     * @param headers verdicts
     */
    record Seen(long leftMillis, long tookMillis, long version, int headers) {}

    private final TopicReader reader;
    private final PacketLoad load;
    private final Thread thread;
    private final Object lock = new Object();

    // Guarded by the lock.
    private List<Seen> seen = new ArrayList<>();
    private long judged;
    private long firstNanos;
    private @Nullable Exception failure;

    private volatile boolean closed;

    VerdictWatch(String bootstrap, String topic, PacketLoad load) {
        this.load = load;
        this.reader = TopicReader.uncommitted(new KafkaClients(bootstrap), List.of(topic));
        this.thread = new Thread(this::run, "verdicts");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> message : reader.poll(Duration.ofMillis(50))) {
                    VerdictBlock block = VerdictBlock.decode(message.value());
                    long took = message.timestamp() - load.nextSentMillis(block.shard());
                    synchronized (lock) {
                        firstNanos = judged == 0 ? System.nanoTime() : firstNanos;
                        judged += block.count();
                        seen.add(
                                new Seen(
                                        message.timestamp(), took, block.version(), block.count()));
                        load.judged(judged);
                    }
                }
            }
        } catch (MalformedMessageException | RuntimeException e) {
            synchronized (lock) {
                failure = e;
            }
        }
    }

    /** Verdicts so far. */
    long judged() {
        synchronized (lock) {
            Exception failed = failure;
            if (failed != null) {
                throw new IllegalStateException("verdicts cannot be read", failed);
            }
            return judged;
        }
    }

    /** {@link System#nanoTime} of the first verdict; 0 before. */
    long firstNanos() {
        synchronized (lock) {
            return firstNanos;
        }
    }

    /** What was seen since the last call. */
    List<Seen> take() {
        judged();
        synchronized (lock) {
            List<Seen> taken = seen;
            seen = new ArrayList<>();
            return taken;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        reader.close();
    }
}
