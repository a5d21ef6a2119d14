package dev.sluice.job.lab.bench;

import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes blocks of packets to a topic at a rate, in a thread of its own, and notes when each was
 * sent, so that its verdicts can be told how long they took. A job that falls behind by more than a
 * bound holds the writer up.
 */
final class PacketLoad implements AutoCloseable {
    /** Headers that may be under way at full speed: some tenths of a second. */
    private static final long MOST_AHEAD = 4_000_000;

    private final TraceBlocks blocks;
    private final MessageProducer producer;
    private final String topic;
    private final Thread thread;
    private final List<Queue<Long>> sentMillis = new ArrayList<>();
    private final AtomicLong sent = new AtomicLong();

    private volatile double rate;
    private volatile long judged;
    private volatile boolean closed;

    /**
     * A load at full speed.
     *
     * @param shards flow shards of the blocks
     */
    PacketLoad(String bootstrap, String topic, TraceBlocks blocks, int shards) {
        this.blocks = blocks;
        this.topic = topic;
        this.producer = new MessageProducer(bootstrap);
        for (int shard = 0; shard < shards; shard++) {
            sentMillis.add(new ConcurrentLinkedQueue<>());
        }
        this.thread = new Thread(this::run, "packets");
        thread.setDaemon(true);
        thread.start();
    }

    /** Headers a second from now on; 0: as fast as the job takes them. */
    void rate(double headersPerSecond) {
        rate = headersPerSecond;
    }

    /** Headers that were sent. */
    long sent() {
        return sent.get();
    }

    /** Tells the load how many headers have verdicts. */
    void judged(long headers) {
        judged = headers;
    }

    /** When the next block of a shard was sent, ms since 1970 UTC: blocks stay in their order. */
    long nextSentMillis(int shard) {
        Long millis = sentMillis.get(shard).poll();
        if (millis == null) {
            throw new IllegalStateException(
                    "shard " + shard + " has verdicts on a block that was not sent");
        }
        return millis;
    }

    private void run() {
        long due = System.nanoTime();
        for (int i = 0; !closed; i = (i + 1) % blocks.messages().size()) {
            double wanted = rate;
            if (wanted > 0) {
                due = Math.max(due, System.nanoTime() - 100_000_000L);
                due += (long) (blocks.blockSize() * 1e9 / wanted);
                while (!closed && System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
            }
            while (!closed && sent.get() - judged > MOST_AHEAD) {
                LockSupport.parkNanos(500_000);
            }
            int shard = blocks.shards().get(i);
            sentMillis.get(shard).add(System.currentTimeMillis());
            producer.send(topic, PacketExporter.key(shard), blocks.messages().get(i));
            sent.addAndGet(blocks.blockSize());
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
        producer.close();
    }
}
