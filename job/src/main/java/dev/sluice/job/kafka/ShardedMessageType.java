package dev.sluice.job.kafka;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;

/** What Flink is to know of {@link ShardedMessage}s: their {@link ShardedMessageSerializer}. */
final class ShardedMessageType extends TypeInformation<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false; // whose fields could be asked for by their numbers
    }

    @Override
    public int getArity() {
        return 2;
    }

    @Override
    public int getTotalFields() {
        return 2;
    }

    @Override
    public Class<Tuple2<Integer, byte[]>> getTypeClass() {
        return ShardedMessageSerializer.tupleClass();
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Tuple2<Integer, byte[]>> createSerializer(SerializerConfig config) {
        return new ShardedMessageSerializer();
    }

    @Override
    public String toString() {
        return "(flow shard, message)";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ShardedMessageType;
    }

    @Override
    public int hashCode() {
        return ShardedMessageType.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ShardedMessageType;
    }
}
