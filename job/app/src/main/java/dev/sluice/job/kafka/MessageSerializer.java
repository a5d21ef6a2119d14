package dev.sluice.job.kafka;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Serializer of (flow shard, message) with the shard as the key. */
public final class MessageSerializer
        implements KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String topic;
    private final Framing framing;

    /** Creates a serializer for a topic with a framing of messages. */
    public MessageSerializer(String topic, Framing framing) {
        this.topic = topic;
        this.framing = framing;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Tuple2<Integer, byte[]> message, KafkaSinkContext context, Long timestamp) {
        return new ProducerRecord<>(
                topic, PacketExporter.key(message.f0), framing.frame(message.f1));
    }
}
