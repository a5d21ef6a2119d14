package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Makers of Kafka's records of what the job's sinks get. */
public final class SinkRecords {
    /** Name of the header with the job's transactional-id prefix, which is unique to the job. */
    public static final String JOB = "job";

    private SinkRecords() {}

    /** Records of (flow shard, message), with the shard as the key. */
    public static KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> sharded(
            String topic, Framing framing) {
        return (message, context, timestamp) ->
                new ProducerRecord<>(
                        topic, PacketExporter.key(message.f0), framing.frame(message.f1));
    }

    /** Records of dead letters, without a key, and with a header that names their job. */
    public static KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> deadLetters(
            String topic, String job) {
        return (letter, context, timestamp) -> {
            ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(topic, null, letter.f1);
            message.headers().add(JOB, job.getBytes(UTF_8));
            return message;
        };
    }

    /** Records of (key, message). */
    public static KafkaRecordSerializationSchema<Tuple2<byte[], byte[]>> keyed(String topic) {
        return (message, context, timestamp) -> new ProducerRecord<>(topic, message.f0, message.f1);
    }

    /** Records of (whether of a window, key, message) in the topic of totals or that of windows. */
    public static KafkaRecordSerializationSchema<Tuple3<Boolean, byte[], byte[]>> statistics(
            TopicNames topics) {
        return (message, context, timestamp) ->
                new ProducerRecord<>(
                        message.f0 ? topics.statisticsWindows() : topics.statistics(),
                        message.f1,
                        message.f2);
    }
}
