package dev.sluice.job.kafka;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes (flow shard, message) keyed by the shard, dead letters without a key. */
public final class MessageSerializer
        implements KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String topic;

    /** A serializer for a topic. */
    public MessageSerializer(String topic) {
        this.topic = topic;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Tuple2<Integer, byte[]> message, KafkaSinkContext context, Long timestamp) {
        byte[] key = message.f0 == ShardedMessage.DEAD ? null : PacketExporter.key(message.f0);
        return new ProducerRecord<>(topic, key, message.f1);
    }
}
