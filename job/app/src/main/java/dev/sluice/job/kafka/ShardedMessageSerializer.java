package dev.sluice.job.kafka;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Flink serializer of {@link ShardedMessage}s that writes a {@link MessageInPlace} as it writes a
 * plain tuple. Thread-safe, like the serializers of its fields.
 */
final class ShardedMessageSerializer extends TupleSerializer<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    ShardedMessageSerializer() {
        super(
                tupleClass(),
                new TypeSerializer<?>[] {
                    IntSerializer.INSTANCE, BytePrimitiveArraySerializer.INSTANCE
                });
    }

    @SuppressWarnings("unchecked") // a class knows nothing of its fields' types
    static Class<Tuple2<Integer, byte[]>> tupleClass() {
        return (Class<Tuple2<Integer, byte[]>>) (Class<?>) Tuple2.class;
    }

    @Override
    public ShardedMessageSerializer duplicate() {
        return this;
    }

    @Override
    public void serialize(Tuple2<Integer, byte[]> message, DataOutputView target)
            throws IOException {
        if (message instanceof MessageInPlace inPlace) {
            inPlace.write(target);
        } else {
            super.serialize(message, target);
        }
    }

    @Override
    public Tuple2<Integer, byte[]> copy(Tuple2<Integer, byte[]> from) {
        return from instanceof MessageInPlace ? from.copy() : super.copy(from);
    }

    @Override
    public Tuple2<Integer, byte[]> copy(
            Tuple2<Integer, byte[]> from, Tuple2<Integer, byte[]> reuse) {
        boolean plain = !(from instanceof MessageInPlace || reuse instanceof MessageInPlace);
        return plain ? super.copy(from, reuse) : copy(from);
    }

    @Override
    public Tuple2<Integer, byte[]> deserialize(Tuple2<Integer, byte[]> reuse, DataInputView source)
            throws IOException {
        return reuse instanceof MessageInPlace
                ? deserialize(source)
                : super.deserialize(reuse, source);
    }
}
