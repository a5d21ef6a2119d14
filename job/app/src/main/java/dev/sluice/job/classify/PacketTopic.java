package dev.sluice.job.classify;

import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.kafka.TopicScan;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketBlock;
import dev.sluice.schemas.codec.PacketMessages;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reader of the packets topic that passes its packets on as batches. Not thread-safe. */
public final class PacketTopic implements TopicScan.Visitor {
    private static final int MOST_TOLD = 5;

    private final CaptureBatch batch;
    private final List<String> captures;
    private final Consumer<CaptureBatch> to;
    private final PrintWriter err;
    private final BooleanSupplier ended;
    private long unreadable;

    /**
     * Creates a reader.
     *
     * @param batch an empty one that is {@link CaptureBatch#numbered}, passed on again and again
     * @param captures takes the names of the packets' captures, by their index in batches
     * @param err takes a line for each of the first messages that cannot be read
     * @param ended whether nothing more is wanted
     */
    public PacketTopic(
            CaptureBatch batch,
            List<String> captures,
            Consumer<CaptureBatch> to,
            PrintWriter err,
            BooleanSupplier ended) {
        this.batch = batch;
        this.captures = captures;
        this.to = to;
        this.err = err;
        this.ended = ended;
    }

    /** Reads a topic to the end of its scan, or until nothing more is wanted. */
    public void read(TopicScan scan) {
        scan.forEach(this);
        handOver();
    }

    @Override
    public boolean take(ConsumerRecord<byte[], byte[]> message) {
        if (ended.getAsBoolean()) {
            return false;
        }
        try {
            add(PacketMessages.decode(message.value() == null ? new byte[0] : message.value(), 1));
        } catch (MalformedMessageException e) {
            if (unreadable++ < MOST_TOLD) {
                err.printf(
                        "sluice: offset %d of partition %d of %s: %s: %s%n",
                        message.offset(),
                        message.partition(),
                        message.topic(),
                        e.reason(),
                        e.detail());
            }
        }
        return true;
    }

    @Override
    public boolean pause() {
        return !ended.getAsBoolean();
    }

    private void add(PacketBlock block) {
        int capture = captures.indexOf(block.capture());
        if (capture < 0) {
            capture = captures.size();
            captures.add(block.capture());
        }
        if (batch.packets() == 0 || batch.capture() != capture) {
            handOver();
            batch.clear(capture);
        }
        for (int from = 0; from < block.count(); ) {
            int room = batch.headers().capacity() - batch.packets();
            int count = Math.min(room, block.count() - from);
            batch.add(block, from, count);
            from += count;
            if (batch.isFull()) {
                handOver();
                batch.clear(capture);
            }
        }
    }

    private void handOver() {
        if (batch.packets() > 0) {
            to.accept(batch);
            batch.clear(batch.capture());
        }
    }

    /** Number of messages that could not be read. */
    public long unreadable() {
        return unreadable;
    }
}
