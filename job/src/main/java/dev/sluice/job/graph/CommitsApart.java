package dev.sluice.job.graph;

import java.io.IOException;
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
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * A Kafka sink whose commits run in a task of their own. The connector's committer waits for the
 * broker, for milliseconds a commit. Flink chains it behind the writer, and with it behind what
 * writes: the classify operator would emit nothing meanwhile, nor hand a batch to its worker.
 *
 * <p>Writer, committer and their states are the connector's, under the same uids. Between them goes
 * an operator that passes committables on and begins the new task.
 *
 * @param <T> of what is written
 */
final class CommitsApart<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPreCommitTopology<KafkaCommittable, KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {
    private static final long serialVersionUID = 1L;

    private final KafkaSink<T> kafka;

    /** That sink, with its commits apart. */
    CommitsApart(KafkaSink<T> kafka) {
        this.kafka = kafka;
    }

    @Override
    public DataStream<CommittableMessage<KafkaCommittable>> addPreCommitTopology(
            DataStream<CommittableMessage<KafkaCommittable>> committables) {
        return committables
                .map(committable -> committable)
                .returns(committables.getType())
                .name("to commit")
                .uid("to-commit")
                .startNewChain();
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committed) {
        kafka.addPostCommitTopology(committed);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return kafka.createWriter(context);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> states) throws IOException {
        return kafka.restoreWriter(context, states);
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context)
            throws IOException {
        return kafka.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return kafka.getCommittableSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getWriteResultSerializer() {
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
