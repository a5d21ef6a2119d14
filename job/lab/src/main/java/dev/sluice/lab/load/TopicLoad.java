package dev.sluice.lab.load;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.IntFunction;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * Loads a topic: senders in threads of their own, each with a producer and flow shards of its own.
 * A sender that fails ends the load.
 */
public final class TopicLoad implements AutoCloseable {
    private final Pacer pacer;
    private final LoadCount count = new LoadCount();
    private final List<MessageProducer> producers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch running;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private final LongAccumulator storedAfterNanos = new LongAccumulator(Math::max, 0);

    /**
     * Target of a load.
     *
     * @param producers of which there are so many
     * @param shards flow shards of the blocks
     */
    public record Target(
            KafkaClients kafka,
            String topic,
            CompressionType compression,
            int producers,
            int shards) {}

    /**
     * Opens the producers, and begins.
     *
     * @param feeds the blocks of each sender
     * @param limit headers of the load that are wanted at all
     */
    public TopicLoad(
            Target target, IntFunction<BlockFeed> feeds, Pacer pacer, LoadClock clock, long limit) {
        this.pacer = pacer;
        running = new CountDownLatch(target.producers());
        try {
            for (int i = 0; i < target.producers(); i++) {
                producers.add(new MessageProducer(target.kafka(), target.compression()));
                producers.get(i).open(target.topic());
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        pacer.start();
        for (int i = 0; i < target.producers(); i++) {
            MessageProducer producer = producers.get(i);
            BlockFeed feed = feeds.apply(i);
            LoadSender sender = new LoadSender(feed, pacer, clock, limit, target.shards());
            Thread thread =
                    new Thread(() -> run(sender, feed, producer, target.topic()), "load " + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void run(LoadSender sender, BlockFeed feed, MessageProducer producer, String topic) {
        try {
            sender.run(
                    (block, message) -> {
                        producer.send(topic, PacketExporter.key(block.shard()), message);
                        count.sent(block.count(), message.length, pacer.elapsedNanos());
                    });
            feed.leave();
            producer.flush();
            storedAfterNanos.accumulate(pacer.elapsedNanos());
        } catch (InterruptedException e) {
            fail(new SluiceException("the load was interrupted", e));
        } catch (KafkaException e) {
            fail(new SluiceException("the load cannot go on: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            fail(e);
        } finally {
            feed.leave();
            running.countDown();
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        pacer.stop();
    }

    /**
     * Waits for the end.
     *
     * @return false if it did not come in that time
     * @throws SluiceException if the load cannot go on
     */
    public boolean await(long millis) throws InterruptedException {
        boolean ended = running.await(millis, TimeUnit.MILLISECONDS);
        RuntimeException e = failure.get();
        if (ended && e != null) {
            throw e;
        }
        return ended;
    }

    /** Sends no further block; what was sent is still stored. */
    void stop() {
        pacer.stop();
    }

    /** Count of what was sent so far. */
    public LoadCount count() {
        return count;
    }

    /** Time from the start until the last block was stored, ns; when it has ended. */
    long storedAfterNanos() {
        return storedAfterNanos.get();
    }

    /** Ends the load, stored or not, and closes the producers. */
    @Override
    public void close() {
        pacer.stop();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        producers.forEach(MessageProducer::close);
    }
}
