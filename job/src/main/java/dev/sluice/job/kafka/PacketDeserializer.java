package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.PacketGlance;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Checks messages of the packets topic: (flow shard, message) for those that can be read, ({@link
 * ShardedMessage#DEAD}, DeadLetter message) for the others. Of packet blocks, which are decoded by
 * the classify operator, nothing is built here. Not thread-safe: each source reader has its own.
 */
public final class PacketDeserializer
        implements KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final int shards;

    private transient @Nullable PacketGlance glance;

    /**
     * A deserializer.
     *
     * @param shards flow shards to spread single headers over
     */
    public PacketDeserializer(int shards) {
        this.shards = shards;
    }

    @Override
    public void deserialize(
            ConsumerRecord<byte[], byte[]> message, Collector<Tuple2<Integer, byte[]>> out) {
        byte[] value = message.value() == null ? new byte[0] : message.value();
        try {
            out.collect(Tuple2.of(glance().shard(value, shards), value));
        } catch (MalformedMessageException e) {
            out.collect(ShardedMessage.deadLetter(e.reason(), e.detail(), where(message, value)));
        }
    }

    private PacketGlance glance() {
        PacketGlance own = glance;
        if (own == null) { // the source's thread has one of its own
            own = new PacketGlance();
            glance = own;
        }
        return own;
    }

    static DeadLetter.Message where(ConsumerRecord<byte[], byte[]> message, byte[] value) {
        return new DeadLetter.Message(
                message.topic(), message.partition(), message.offset(), value);
    }

    @Override
    public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
        return ShardedMessage.TYPE;
    }
}
