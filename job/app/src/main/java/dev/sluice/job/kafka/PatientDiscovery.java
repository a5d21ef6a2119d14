package dev.sluice.job.kafka;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Context of the connector's enumerator that tolerates failures of its periodic partition
 * discovery.
 *
 * <p>The connector would fail the job, even where Kafka is away for a while and the readers wait
 * for it. Only the first discovery of a job without a checkpoint must succeed.
 */
final class PatientDiscovery implements SplitEnumeratorContext<KafkaPartitionSplit> {
    private static final Logger LOG = LoggerFactory.getLogger(PatientDiscovery.class);

    private final SplitEnumeratorContext<KafkaPartitionSplit> context;

    /**
     * True once there are partitions to read. As all fields below, used by the coordinator's thread
     * alone.
     */
    private boolean known;

    private boolean failing;

    /**
     * Creates a context.
     *
     * @param known whether partitions are known from a checkpoint
     */
    PatientDiscovery(SplitEnumeratorContext<KafkaPartitionSplit> context, boolean known) {
        this.context = context;
        this.known = known;
    }

    @Override
    public <T> void callAsync(
            Callable<T> ask, BiConsumer<T, Throwable> handler, long delayMillis, long everyMillis) {
        context.callAsync(
                ask,
                (found, failure) -> {
                    if (failure == null) {
                        known = true;
                        failing = false;
                        handler.accept(found, null);
                    } else if (!known) {
                        handler.accept(found, failure);
                    } else if (!failing) {
                        failing = true;
                        LOG.warn(
                                "new partitions cannot be discovered: {}; the discovery is repeated",
                                failure.getMessage());
                    }
                },
                delayMillis,
                everyMillis);
    }

    @Override
    public <T> void callAsync(Callable<T> call, BiConsumer<T, Throwable> handler) {
        context.callAsync(call, handler);
    }

    @Override
    public SplitEnumeratorMetricGroup metricGroup() {
        return context.metricGroup();
    }

    @Override
    public void sendEventToSourceReader(int subtask, SourceEvent event) {
        context.sendEventToSourceReader(subtask, event);
    }

    @Override
    public int currentParallelism() {
        return context.currentParallelism();
    }

    @Override
    public Map<Integer, ReaderInfo> registeredReaders() {
        return context.registeredReaders();
    }

    @Override
    public void assignSplits(SplitsAssignment<KafkaPartitionSplit> assignment) {
        context.assignSplits(assignment);
    }

    @Override
    public void signalNoMoreSplits(int subtask) {
        context.signalNoMoreSplits(subtask);
    }

    @Override
    public void runInCoordinatorThread(Runnable task) {
        context.runInCoordinatorThread(task);
    }
}
