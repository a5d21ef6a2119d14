package dev.sluice.job.graph;

import dev.sluice.job.kafka.LostTransaction;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * A Kafka sink that ends the job when Kafka has dropped what a checkpoint holds: the connector logs
 * that and goes on; and whose tasks end also while Kafka does not answer. Writer, committer and
 * their states are the connector's, under the same uids.
 *
 * @param <T> of what is written
 */
class WatchedSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {
    private static final long serialVersionUID = 1L;

    /** How long the end of a task may wait for Kafka; Flink gives it three minutes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final KafkaSink<T> kafka;
    private final LostTransaction lost;

    /**
     * That sink, with its commits watched.
     *
     * @param lost says what a lost transaction means
     */
    WatchedSink(KafkaSink<T> kafka, LostTransaction lost) {
        this.kafka = kafka;
        this.lost = lost;
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committed) {
        kafka.addPostCommitTopology(committed);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return watched(kafka.createWriter(context), context);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> states) throws IOException {
        return watched(kafka.restoreWriter(context, states), context);
    }

    /** A writer of the connector as the sink uses it. */
    PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> watched(
            PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> writer,
            WriterInitContext context) {
        return new WatchedWriter<>(writer, PATIENCE);
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context)
            throws IOException {
        return new WatchedCommitter(kafka.createCommitter(context), lost);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return kafka.getCommittableSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return kafka.getWriterStateSerializer();
    }

    @Override
    public LineageVertex getLineageVertex() {
        return kafka.getLineageVertex();
    }
}
