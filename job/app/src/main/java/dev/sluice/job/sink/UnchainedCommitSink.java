package dev.sluice.job.sink;

import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPreCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * A Kafka sink whose committer runs in a task of its own, so that the writer does not block on
 * commits. The connector's committer waits for milliseconds a commit, and Flink chains it behind
 * the writer, and with it behind what writes: the classify operator would emit nothing meanwhile,
 * nor hand a batch to its worker. So commits run in a task of their own, and the writer's next
 * transaction is made ready beforehand ({@link TransactionPool}). What was written must still
 * arrive, and the writer's copy of a committed transaction is ended.
 *
 * <p>Writer, committer and their states are the connector's, under the same uids. Between them goes
 * an operator that passes committables on and begins the new task.
 *
 * @param <T> of what is written
 */
public final class UnchainedCommitSink<T> extends WatchedSink<T>
        implements SupportsPreCommitTopology<KafkaCommittable, KafkaCommittable> {
    private static final long serialVersionUID = 1L;

    /**
     * A sink around the connector's.
     *
     * @param prefix of its transactional ids
     * @param lost says what a lost transaction means
     */
    public UnchainedCommitSink(KafkaSink<T> kafka, String prefix, LostTransaction lost) {
        super(kafka, prefix, lost);
    }

    @Override
    String ahead(WriterInitContext context) {
        return "next transaction of " + context.getTaskInfo().getTaskNameWithSubtasks();
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
