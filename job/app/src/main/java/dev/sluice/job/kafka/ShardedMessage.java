package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.DeadLetter;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Message between the job's operators: a Kafka message with its flow shard, as Flink's tuple {@code
 * (flow shard, bytes of the message)}.
 *
 * <p>Flink serializes the int and the bytes of a tuple directly, and keys the packets by its first
 * field.
 *
 * <p>The bytes are in the codec of their topic: a PacketBlock, a PacketHeader, a RuleChange, a
 * VerdictBlock or a Verdict. With {@link #DEAD} in place of a shard they are a DeadLetter. Messages
 * of the rules topic belong to no flow: their first field tells whether a transaction ends with the
 * message ({@link dev.sluice.operators.rules.topic.GatherRuleMessages}).
 *
 * <p>Within the task of the packets' source {@code f1} may be null; {@link #bytes} returns the
 * bytes.
 */
public final class ShardedMessage {
    /** Marks a DeadLetter in place of a flow shard; no shard is negative. */
    public static final int DEAD = -1;

    /** Flink's type of the tuples. */
    public static final TypeInformation<Tuple2<Integer, byte[]>> TYPE = new Type();

    private ShardedMessage() {}

    /** Flink's type without fields, with our serializer in place of a generic one. */
    private static final class Type extends GenericTypeInfo<Tuple2<Integer, byte[]>> {
        private static final long serialVersionUID = 1L;

        Type() {
            super(ShardedMessageSerializer.tupleClass());
        }

        @Override
        public TypeSerializer<Tuple2<Integer, byte[]>> createSerializer(SerializerConfig config) {
            return new ShardedMessageSerializer();
        }
    }

    /**
     * Creates a message whose bytes stay in place until it leaves its task. {@code f1} may be null,
     * and {@link #bytes} returns the bytes.
     *
     * @param parts of the message in order, each in an array that must not change any more
     */
    public static Tuple2<Integer, byte[]> of(int shard, List<ByteBuffer> parts) {
        ByteBuffer first = parts.get(0);
        boolean whole =
                parts.size() == 1
                        && first.arrayOffset() == 0
                        && first.remaining() == first.array().length;
        return whole ? Tuple2.of(shard, first.array()) : new MessageInPlace(shard, parts);
    }

    /** Returns the bytes of a message: its array, or a copy of its parts. */
    public static byte[] bytes(Tuple2<Integer, byte[]> message) {
        return message instanceof MessageInPlace inPlace ? inPlace.bytes() : message.f1;
    }

    /** Describes the place of a message, for a dead letter about it. */
    public static DeadLetter.Message where(ConsumerRecord<?, ?> message, byte[] value) {
        return new DeadLetter.Message(
                message.topic(), message.partition(), message.offset(), value);
    }
}
