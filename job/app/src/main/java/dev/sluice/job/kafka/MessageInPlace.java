package dev.sluice.job.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputView;

/**
 * {@link ShardedMessage} whose bytes are parts of a consumer's fetch; they are copied once, when
 * they leave the task.
 *
 * <p>The message has no array of its own, so {@link #f1} is null; {@link ShardedMessage#bytes}
 * copies the bytes to one. Flink's serializer reads a message back as a plain tuple.
 */
@SuppressWarnings("unchecked") // of Flink's tuple: its copy() returns what it likes
final class MessageInPlace extends Tuple2<Integer, byte[]> {
    private static final long serialVersionUID = 1L;

    private final transient List<ByteBuffer> parts;
    private final int length;

    /**
     * Creates a message.
     *
     * @param parts in order, each in an array that does not change any more
     */
    MessageInPlace(int shard, List<ByteBuffer> parts) {
        f0 = shard;
        this.parts = parts;
        this.length = parts.stream().mapToInt(ByteBuffer::remaining).sum();
    }

    /** Copies the bytes. */
    byte[] bytes() {
        ByteBuffer all = ByteBuffer.allocate(length);
        parts.forEach(part -> all.put(part.duplicate()));
        return all.array();
    }

    /** Copies the message to a plain tuple. */
    @Override
    public Tuple2<Integer, byte[]> copy() {
        return Tuple2.of(f0, bytes());
    }

    /** Writes the bytes that Flink's serializer would write for a plain tuple. */
    void write(DataOutputView target) throws IOException {
        target.writeInt(f0);
        target.writeInt(length);
        for (ByteBuffer part : parts) {
            target.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
        }
    }
}
