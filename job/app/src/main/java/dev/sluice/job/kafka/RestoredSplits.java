package dev.sluice.job.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Enumerator of a bounded source that resumes from a checkpoint.
 *
 * <p>All its splits are in the checkpoint, each with its end offset. The enumerator therefore
 * discovers none: it assigns the splits without a reader, and tells each reader at once that no
 * more follow. The connector's enumerator tells readers only after a discovery that finds
 * partitions (FLINK-31006). After a restore it finds none, so that the readers and the job would
 * never end.
 */
final class RestoredSplits implements SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> {
    private final SplitEnumeratorContext<KafkaPartitionSplit> context;
    private final Map<TopicPartition, KafkaPartitionSplit> assigned = new HashMap<>();
    private final Map<TopicPartition, KafkaPartitionSplit> unassigned = new HashMap<>();

    /**
     * Creates an enumerator of the splits of a checkpoint.
     *
     * @param state with {@linkplain #areAllOf all splits}
     */
    RestoredSplits(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state) {
        this.context = context;
        state.assignedSplits().forEach(split -> assigned.put(split.getTopicPartition(), split));
        state.unassignedSplits().forEach(split -> unassigned.put(split.getTopicPartition(), split));
    }

    /**
     * Tells whether a checkpoint is later than the first discovery, and contains the start of each
     * split.
     */
    static boolean areAllOf(KafkaSourceEnumState state) {
        return state.initialDiscoveryFinished()
                && state.unassignedSplits().stream().noneMatch(KafkaPartitionSplit::isMigrated);
    }

    @Override
    public void start() {
        // addReader tells each reader
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        // readers get splits without requests
    }

    @Override
    public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {
        for (KafkaPartitionSplit split : splits) {
            assigned.remove(split.getTopicPartition());
            unassigned.put(split.getTopicPartition(), split);
        }
        if (context.registeredReaders().containsKey(subtask)) {
            addReader(subtask);
        }
    }

    @Override
    public void addReader(int subtask) {
        int readers = context.currentParallelism();
        List<KafkaPartitionSplit> own = new ArrayList<>(unassigned.values());
        own.removeIf(split -> split.getPartition() % readers != subtask);
        if (!own.isEmpty()) {
            for (KafkaPartitionSplit split : own) {
                unassigned.remove(split.getTopicPartition());
                assigned.put(split.getTopicPartition(), split);
            }
            context.assignSplits(new SplitsAssignment<>(Map.of(subtask, own)));
        }
        context.signalNoMoreSplits(subtask);
    }

    @Override
    public KafkaSourceEnumState snapshotState(long checkpoint) {
        return new KafkaSourceEnumState(assigned.values(), unassigned.values(), true);
    }

    @Override
    public void close() {
        // nothing is open
    }
}
