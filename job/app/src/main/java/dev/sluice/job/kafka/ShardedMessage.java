package dev.sluice.job.kafka;

import dev.sluice.job.flink.SerializedType;
import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What moves between the job's operators: a Kafka message under the flow shard that it belongs to,
 * as Flink's tuple {@code (flow shard, bytes of the message)}. A tuple, because Flink serializes
 * its int and its bytes directly and keys the packets by the first of them.
 *
 * <p>The bytes are as the codec of the topic that they come from or go to has them: a PacketBlock,
 * a PacketHeader, a RuleChange, a VerdictBlock or a Verdict. With {@link #DEAD} in place of a shard
 * they are a DeadLetter. Messages of the rules topic belong to no flow: there the first field says
 * whether a transaction ends with it ({@link dev.sluice.operators.rules.topic.GatherRuleMessages}).
 *
 * <p>Of what the packets' source emits {@code f1} may be null until it has left its task: {@link
 * #bytes} has the bytes.
 */
public final class ShardedMessage {
    /** In place of a flow shard, of which none is negative: the bytes are a DeadLetter. */
    public static final int DEAD = -1;

    /** Type of the tuples. */
    public static final TypeInformation<Tuple2<Integer, byte[]>> TYPE =
            new SerializedType<>(
                    ShardedMessageSerializer.tupleClass(), new ShardedMessageSerializer());

    private ShardedMessage() {}

    /**
     * A message whose bytes stay where they are until it leaves its task: {@code f1} may be null.
     * Whoever wants to read them before calls {@link #bytes}.
     *
     * @param parts of the message, one behind the other, each in an array, which must not change
     *     any more
     */
    public static Tuple2<Integer, byte[]> of(int shard, List<ByteBuffer> parts) {
        ByteBuffer first = parts.get(0);
        boolean whole =
                parts.size() == 1
                        && first.arrayOffset() == 0
                        && first.remaining() == first.array().length;
        return whole ? Tuple2.of(shard, first.array()) : new MessageInPlace(shard, parts);
    }

    /** The bytes of a message: its array, or a copy of those that lie among others. */
    public static byte[] bytes(Tuple2<Integer, byte[]> message) {
        return message instanceof MessageInPlace inPlace ? inPlace.bytes() : message.f1;
    }

    /** Where a message stands, for a dead letter about it. */
    public static DeadLetter.Message where(ConsumerRecord<?, ?> message, byte[] value) {
        return new DeadLetter.Message(
                message.topic(), message.partition(), message.offset(), value);
    }
}
