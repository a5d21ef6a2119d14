package dev.sluice.job.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes dead letters without a key, each with a header that says which job it is of. */
public final class DeadLetterSerializer
        implements KafkaRecordSerializationSchema<Tuple2<Integer, byte[]>> {
    /** Header of dead letters: the transactional-id prefix of the job, which no other job has. */
    public static final String JOB = "job";

    private static final long serialVersionUID = 1L;

    private final String topic;
    private final String job;

    /** A serializer for the dead letters of a job, which its transactional-id prefix names. */
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
