package dev.sluice.lab.load;

import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.lab.kit.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.IntFunction;
import java.util.function.Supplier;
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
    private final Workers senders = new Workers("the load cannot go on");

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
            Target target,
            IntFunction<Supplier<@Nullable LoadBlock>> feeds,
            Pacer pacer,
            long limit) {
        this.pacer = pacer;
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
            LoadSender sender = new LoadSender(feeds.apply(i), pacer, limit, target.shards());
            senders.start("load " + i, () -> run(sender, producer, target.topic()));
        }
    }

    private void run(LoadSender sender, MessageProducer producer, String topic) {
        try {
            sender.run(
                    (block, message) -> {
                        producer.send(topic, PacketExporter.key(block.shard()), message);
                        count.sent(block.count(), message.length, pacer.elapsedNanos());
                    });
            producer.flush();
            storedAfterNanos.accumulate(pacer.elapsedNanos());
        } catch (RuntimeException | Error e) {
            pacer.stop(); // the others, too
            throw e;
        }
    }

    /**
     * Waits for the end.
     *
     * @return false if it did not come in that time
     * @throws dev.sluice.job.SluiceException if the load cannot go on
     */
    public boolean await(long millis) throws InterruptedException {
        return senders.await(millis);
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
        senders.close();
        producers.forEach(MessageProducer::close);
    }
}
