package dev.sluice.job.sink;

import dev.sluice.job.kafka.KafkaAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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
import org.apache.flink.streaming.api.connector.sink2.SupportsPreWriteTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.flink.util.IOUtils;

/**
 * Kafka sink that delivers exactly once through the failures of the package text. Writer, committer
 * and their states are the connector's, under the same uids.
 *
 * @param <T> elements of the sink
 */
public class WatchedSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPreWriteTopology<T>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {
    private static final long serialVersionUID = 1L;

    /** Time that the end of a task may wait for Kafka; Flink allows three minutes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final KafkaSink<T> kafka;
    private final String prefix;
    private final LostTransaction lost;

    /**
     * Wraps a sink of the connector.
     *
     * @param prefix of its transactional ids
     * @param lost describes a lost transaction
     */
    public WatchedSink(KafkaSink<T> kafka, String prefix, LostTransaction lost) {
        this.kafka = kafka;
        this.prefix = prefix;
        this.lost = lost;
    }

    @Override
    public DataStream<T> addPreWriteTopology(DataStream<T> written) {
        return written.map(new CompleteCheckpoints<>(prefix))
                .returns(written.getType())
                .name("complete checkpoints")
                .uid("complete-checkpoints");
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committed) {
        kafka.addPostCommitTopology(committed);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> states) throws IOException {
        var connectors = kafka.restoreWriter(context, states);
        WatchedWriter<T> writer = new WatchedWriter<>(connectors, PATIENCE);
        try {
            ConnectorWriter.reuseIds(
                            connectors,
                            CompleteCheckpoints.writer(prefix, context.getTaskInfo()),
                            "next transaction of "
                                    + context.getTaskInfo().getTaskNameWithSubtasks())
                    .ifPresent(pool -> pool.start(left(context, states)));
            return writer;
        } catch (RuntimeException e) {
            IOUtils.closeQuietly(writer);
            throw e;
        }
    }

    private Set<String> left(WriterInitContext context, Collection<KafkaWriterState> states) {
        try (KafkaAccess access = new KafkaAccess(lost.kafka())) {
            return LeftTransactions.of(prefix, context, states).among(access.openTransactions());
        }
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context)
            throws IOException {
        return new WatchedCommitter(
                kafka.createCommitter(context), lost, context.getRestoredCheckpointId().orElse(0));
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
