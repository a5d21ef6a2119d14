package dev.sluice.job.sink;

import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * Kafka sink whose committer runs in its own task, so that the writer does not block on commits.
 *
 * <p>The connector's committer takes milliseconds for a commit. Flink would chain it to the writer
 * and to the classify operator, which would meanwhile emit nothing and submit no batch to its
 * worker. Therefore commits run in a task of their own.
 *
 * <p>Writer, committer and their states are the connector's, under the same uids. An operator
 * between them passes committables on and starts the new task.
 *
 * @param <T> elements of the sink
 */
public final class UnchainedCommitSink<T> extends WatchedSink<T>
        implements SupportsPreCommitTopology<KafkaCommittable, KafkaCommittable> {
    private static final long serialVersionUID = 1L;

    /**
     * Wraps a sink of the connector.
     *
     * @param prefix of its transactional ids
     * @param lost describes a lost transaction
     */
    public UnchainedCommitSink(KafkaSink<T> kafka, String prefix, LostTransaction lost) {
        super(kafka, prefix, lost);
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
    public SimpleVersionedSerializer<KafkaCommittable> getWriteResultSerializer() {
        return getCommittableSerializer();
    }
}
