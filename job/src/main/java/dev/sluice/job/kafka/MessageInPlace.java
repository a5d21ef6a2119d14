package dev.sluice.job.kafka;

import java.io.IOException;
import java.util.Arrays;
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

    private final transient byte[] among;
    private final int from;
    private final int length;

    /**
     * A message.
     *
     * @param among its bytes from {@code from} on; do not change any more
     */
    MessageInPlace(int shard, byte[] among, int from, int length) {
        f0 = shard;
        this.among = among;
        this.from = from;
        this.length = length;
    }

    /** A copy of the bytes. */
    byte[] bytes() {
        return Arrays.copyOfRange(among, from, from + length);
    }

    /** Writes what Flink's serializer of tuples writes of one with these bytes. */
    void write(DataOutputView target) throws IOException {
        target.writeInt(f0);
        target.writeInt(length);
        target.write(among, from, length);
    }
}
