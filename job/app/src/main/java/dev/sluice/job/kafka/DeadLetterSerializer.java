package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Serializer of dead letters, without a key, and with a header that names their job. */
public final class DeadLetterSerializer
        implements KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> {
    /** Name of the header with the job's transactional-id prefix, which is unique to the job. */
    public static final String JOB = "job";

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String job;

    /** Creates a serializer for the dead letters of a job with a transactional-id prefix. */
    public DeadLetterSerializer(String topic, String job) {
        this.topic = topic;
        this.job = job;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
            Tuple2<Integer, byte[]> letter, KafkaSinkContext context, Long timestamp) {
        ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(topic, null, letter.f1);
        message.headers().add(JOB, job.getBytes(UTF_8));
        return message;
    }
}
