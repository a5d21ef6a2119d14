package dev.sluice.job.packets;

import dev.sluice.job.kafka.ShardedMessage;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Emitter of the messages of a {@link PacketBatch}. The connector sets the split's offset
 * afterwards, in the same step of the task, so that no checkpoint comes between.
 */
final class PacketEmission implements KafkaRecordDeserializationSchema<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(
            ConsumerRecord<byte[], byte[]> batch, Collector<Tuple2<Integer, byte[]>> out) {
        for (Tuple2<Integer, byte[]> message : ((PacketBatch) batch).messages()) {
            out.collect(message);
        }
    }

    @Override
    public TypeInformation<Tuple2<Integer, byte[]>> getProducedType() {
        return ShardedMessage.TYPE;
    }
}
