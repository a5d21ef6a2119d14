package dev.sluice.job.packets;

import dev.sluice.job.capture.Tunnel;
import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link PacketBatch}es of the messages of a partition: single packets become blocks of their
 * flow shards, up to a capacity of messages a batch; a block is a batch of its own, as it came, so
 * that a task that waits for its output waits for one block. Messages of a flow shard keep their
 * order, over batches, too.
 *
 * <p>Not thread-safe: each split reader has its own.
 */
final class PacketBatcher implements PacketReading.Target {
    /**
     * Most messages of a batch. With 64 flow shards a block then has some 256 headers; a batch of
     * single packets takes 3.2 MB while it is made, and becomes less than one of messages.
     */
    static final int CAPACITY = 16_384;

    private final PacketReading reading;
    private final ShardedPile pile;
    private final int capacity;
    private List<PacketBatch> batches = new ArrayList<>();
    private List<Tuple2<Integer, byte[]>> messages = new ArrayList<>();

    /** Messages of Kafka in the batch that is being made. */
    private int taken;

    /** Whether the batch is to have nothing but what it has. */
    private boolean alone;

    /** The last of the messages in the batch. */
    private @Nullable ConsumerRecord<?, ?> last;

    /**
     * A batcher.
     *
     * @param shards flow shards to spread single packets over
     * @param placed whether blocks go on with where they lie
     * @param capacity most messages of a batch
     * @param shut takes the tunnel of a frame that is not opened
     */
    PacketBatcher(
            PacketFormat format, int shards, boolean placed, int capacity, Consumer<Tunnel> shut) {
        this.reading =
                switch (format.kind()) {
                    case AVRO -> new AvroReading(placed);
                    case FRAMES -> new FrameReading(format.parsing(), shut);
                };
        this.pile = new ShardedPile(shards, capacity);
        this.capacity = capacity;
    }

    /** Adds the next message of the partition. */
    void add(ConsumerRecord<byte[], ByteBuffer> message) {
        reading.read(message, this);
        last = message;
        if (++taken == capacity || alone) {
            endBatch();
        }
    }

    @Override
    public void header(
            String capture,
            int captureIndex,
            int[] words,
            long packet,
            long timeNs,
            int frameLength) {
        pile.add(capture, captureIndex, words, packet, timeNs, frameLength);
    }

    @Override
    public void block(int shard, List<ByteBuffer> parts) {
        endBatch(); // of those in front of it, the last of which is behind
        messages.add(ShardedMessage.of(shard, parts));
        alone = true;
    }

    @Override
    public void dead(DeadLetter letter) {
        messages.add(Tuple2.of(ShardedMessage.DEAD, letter.encode()));
    }

    /** The batches of what was added, in order. */
    List<PacketBatch> take() {
        endBatch();
        List<PacketBatch> made = batches;
        batches = new ArrayList<>();
        return made;
    }

    private void endBatch() {
        ConsumerRecord<?, ?> end = last;
        if (end == null) {
            return;
        }
        pile.take((message, shard) -> messages.add(Tuple2.of(shard, message)));
        batches.add(new PacketBatch(end, messages));
        messages = new ArrayList<>();
        taken = 0;
        alone = false;
        last = null;
    }
}
