package dev.sluice.job.packets;

import dev.sluice.job.kafka.ShardedMessage;
import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of a partition's messages to {@link PacketBatch}es.
 *
 * <p>Single packets become blocks of their flow shards, up to a capacity of messages a batch. A
 * block is a batch of its own, so that a task that waits for its output waits for one block.
 * Messages of a flow shard keep their order, also across batches.
 *
 * <p>Not thread-safe: each split reader has its own.
 */
final class PacketBatcher implements PacketReading.Target {
    /**
     * Maximal number of messages of a batch. With 64 flow shards a block then has some 256 headers.
     * A batch of single packets takes 3.2 MB while it is made, and less than its messages
     * afterwards.
     */
    static final int CAPACITY = 16_384;

    private final PacketReading reading;
    private final ShardedPile pile;
    private final int capacity;
    private List<PacketBatch> batches = new ArrayList<>();
    private List<Tuple2<Integer, byte[]>> messages = new ArrayList<>();

    /** Number of Kafka's messages in the present batch. */
    private int taken;

    /** True if the present batch takes no further message. */
    private boolean alone;

    /** Last of the messages in the present batch. */
    private @Nullable ConsumerRecord<?, ?> last;

    /**
     * Creates a batcher.
     *
     * @param shards flow shards of single packets
     * @param placed whether a block is passed on with its place in Kafka
     * @param capacity maximal number of messages of a batch
     * @param counts receives frames that are counted apart
     */
    PacketBatcher(
            PacketFormat format, int shards, boolean placed, int capacity, FrameCounts counts) {
        this.reading =
                switch (format.kind()) {
                    case AVRO -> new AvroReading(placed);
                    case FRAMES -> new FrameReading(format.parsing(), counts);
                };
        this.pile = new ShardedPile(format.by(), shards, capacity);
        this.capacity = capacity;
    }

    /** Takes a message before the first one that is added. */
    void before(ConsumerRecord<byte[], ByteBuffer> message) {
        reading.before(message);
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
    public void header(String capture, int captureIndex, int[] words, long packet, long timeNs) {
        pile.add(capture, captureIndex, words, packet, timeNs);
    }

    @Override
    public void block(int shard, List<ByteBuffer> parts) {
        endBatch(); // of the messages before the block
        messages.add(ShardedMessage.of(shard, parts));
        alone = true;
    }

    @Override
    public void dead(DeadLetter letter) {
        messages.add(Tuple2.of(ShardedMessage.DEAD, letter.encode()));
    }

    /** Returns the batches of the added messages, in order. */
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
