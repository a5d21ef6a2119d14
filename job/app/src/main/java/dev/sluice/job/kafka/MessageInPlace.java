package dev.sluice.job.kafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataOutputView;

/**
 * A {@link ShardedMessage} whose bytes lie among others, in what a consumer has fetched: they are
 * copied once, to where they leave the task. It has no array of its own, so {@link #f1} is null;
 * {@link ShardedMessage#bytes} makes one. What comes out of Flink's serializer is a plain tuple.
 */
@SuppressWarnings("unchecked") // of Flink's tuple: its copy() returns what it likes
final class MessageInPlace extends Tuple2<Integer, byte[]> {
    private static final long serialVersionUID = 1L;

    private final transient List<ByteBuffer> parts;
    private final int length;

    /**
     * A message.
     *
     * @param parts one behind the other, each in an array, which does not change any more
     */
    MessageInPlace(int shard, List<ByteBuffer> parts) {
        f0 = shard;
        this.parts = parts;
        this.length = parts.stream().mapToInt(ByteBuffer::remaining).sum();
    }

    /** A copy of the bytes. */
    byte[] bytes() {
        ByteBuffer all = ByteBuffer.allocate(length);
        parts.forEach(part -> all.put(part.duplicate()));
        return all.array();
    }

    /** A plain tuple. */
    @Override
    public Tuple2<Integer, byte[]> copy() {
        return Tuple2.of(f0, bytes());
    }

    /** Writes what Flink's serializer of tuples writes of one with these bytes. */
    void write(DataOutputView target) throws IOException {
        target.writeInt(f0);
        target.writeInt(length);
        for (ByteBuffer part : parts) {
            target.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
        }
    }
}
