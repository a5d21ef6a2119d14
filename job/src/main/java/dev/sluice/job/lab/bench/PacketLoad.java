package dev.sluice.job.lab.bench;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.lab.load.BlockCycle;
import dev.sluice.job.lab.load.LoadClock;
import dev.sluice.job.lab.load.LoadSender;
import dev.sluice.job.lab.load.Pacer;
import dev.sluice.schemas.codec.RepeatedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Loads a topic as {@code sluice load} does, at a rate that changes, in a thread of its own, and
 * notes when each block was sent, so that its verdicts can be told how long they took. A job that
 * falls behind by more than a bound holds the load up.
 */
final class PacketLoad implements AutoCloseable {
    /** Headers that may be under way at full speed: some tenths of a second. */
    private static final long MOST_AHEAD = 4_000_000;

    private final MessageProducer producer;
    private final String topic;
    private final Thread thread;
    private final List<Queue<Long>> sentMillis = new ArrayList<>();
    private final AtomicLong sent = new AtomicLong();
    private final LoadClock clock = LoadClock.system();

    private volatile Pacer pacer = started(0);
    private volatile long judged;
    private volatile boolean closed;

    /** The pacer of the last block, and headers in front of its first one; of the thread. */
    private Pacer lastPacer = pacer;

    private long beforePacer;

    /**
     * A load at full speed.
     *
     * @param shards flow shards of the blocks
     */
    PacketLoad(String bootstrap, String topic, BlockCycle blocks, int shards) {
        this.topic = topic;
        this.producer = new MessageProducer(new KafkaClients(bootstrap));
        for (int shard = 0; shard < shards; shard++) {
            sentMillis.add(new ConcurrentLinkedQueue<>());
        }
        LoadSender sender =
                new LoadSender(blocks.feed(0, 1), this::await, clock, Long.MAX_VALUE, shards);
        this.thread = new Thread(() -> run(sender), "packets");
        thread.setDaemon(true);
        thread.start();
    }

    private Pacer started(double headersPerSecond) {
        Pacer made = new Pacer(headersPerSecond, Long.MAX_VALUE, clock);
        made.start();
        return made;
    }

    /** Headers a second from now on; 0: as fast as the job takes them. */
    void rate(double headersPerSecond) {
        Pacer before = pacer;
        pacer = started(headersPerSecond);
        before.stop();
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

    private void run(LoadSender sender) {
        try {
            sender.run(this::send);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the load", e);
        }
    }

    private boolean await(long end, int headers) {
        boolean due = false;
        while (!due && !closed) {
            Pacer now = pacer;
            if (now != lastPacer) {
                lastPacer = now;
                beforePacer = end - headers;
            }
            due = now.await(end - beforePacer, headers);
        }
        while (!closed && sent.get() - judged > MOST_AHEAD) {
            LockSupport.parkNanos(500_000);
        }
        return !closed;
    }

    private void send(RepeatedBlock block, byte[] message) {
        int shard = block.shard();
        sentMillis.get(shard).add(System.currentTimeMillis());
        producer.send(topic, PacketExporter.key(shard), message);
        sent.addAndGet(block.count());
    }

    @Override
    public void close() {
        closed = true;
        pacer.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close();
    }
}
