package dev.sluice.job.kafka;

import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Serializer of (whether of a window, key, message) to the topic of totals or that of windows. */
public final class StatisticsSerializer
        implements KafkaRecordSerializationSchema<Tuple3<Boolean, byte[], byte[]>> {
    private static final long serialVersionUID = 1L;

    private final String totals;
    private final String windows;

    /** Creates a serializer for the two topics. */
    public StatisticsSerializer(TopicNames topics) {
        this.totals = topics.statistics();
        this.windows = topics.statisticsWindows();
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Tuple3<Boolean, byte[], byte[]> message, KafkaSinkContext context, Long timestamp) {
        return new ProducerRecord<>(message.f0 ? windows : totals, message.f1, message.f2);
    }
}
