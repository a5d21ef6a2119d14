package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.DeadLetter;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/** What moves between the operators: a flow shard and a message's bytes. */
public final class ShardedMessage {
    /** In place of a flow shard: the bytes are a DeadLetter message. */
    public static final int DEAD = -1;

    /** Type of the tuples. */
    public static final TypeInformation<Tuple2<Integer, byte[]>> TYPE =
            Types.TUPLE(Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private ShardedMessage() {}

    static Tuple2<Integer, byte[]> deadLetter(
            String reason, String detail, DeadLetter.Message where) {
        return Tuple2.of(DEAD, new DeadLetter(reason, detail, null, where).encode());
    }
}
