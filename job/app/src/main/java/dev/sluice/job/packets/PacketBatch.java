package dev.sluice.job.packets;

import java.util.List;
import java.util.Optional;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Batch of consecutive messages of a partition, converted: one element of the source.
 *
 * <p>To the connector it is a Kafka record with the offset of the last of the messages, so that the
 * reader resumes after that message.
 */
final class PacketBatch extends ConsumerRecord<byte[], byte[]> {
    private static final byte[] NOTHING = {};

    private final List<Tuple2<Integer, byte[]>> messages;

    /**
     * Creates a batch.
     *
     * @param last of the messages of Kafka
     * @param messages as {@link dev.sluice.job.kafka.ShardedMessage} defines them; may be empty
     */
    PacketBatch(ConsumerRecord<?, ?> last, List<Tuple2<Integer, byte[]>> messages) {
        super(
                last.topic(),
                last.partition(),
                last.offset(),
                last.timestamp(),
                last.timestampType(),
                NULL_SIZE,
                NULL_SIZE,
                NOTHING,
                NOTHING,
                new RecordHeaders(),
                Optional.empty());
        this.messages = messages;
    }

    /** Returns (flow shard, message) of blocks, and dead letters. */
    List<Tuple2<Integer, byte[]>> messages() {
        return messages;
    }
}
