package dev.sluice.job.packets;

import dev.sluice.job.kafka.TopicWatch;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enumerator of the connector for the packets topic that also watches all topics of the job.
 *
 * <p>A job has one enumerator for its whole run. A deleted or recreated topic fails the job, for
 * good if a restart would fail again.
 */
final class WatchingEnumerator implements SplitEnumerator<KafkaPartitionSplit, PacketSourceState> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchingEnumerator.class);

    /** Flink's name for the metric of unread messages. */
    private static final String PENDING = "pendingRecords";

    private static final Duration EVERY = Duration.ofSeconds(2);

    private final SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> kafka;
    private final SplitEnumeratorContext<KafkaPartitionSplit> context;
    private final TopicWatch topics;
    private final boolean bounded;

    /** Last complete checkpoint; 0: none. */
    private long checkpoint;

    private boolean found;

    /** Number of messages in partitions that no reader has yet. */
    private volatile long unread;

    private volatile boolean closed;

    /** Partitions that the connector has discovered; none before its first discovery. */
    private volatile Set<TopicPartition> discovered = Set.of();

    /**
     * Creates an enumerator.
     *
     * @param checkpoint the last complete one; 0: none
     * @param bounded whether the source ends
     */
    WatchingEnumerator(
            SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> kafka,
            SplitEnumeratorContext<KafkaPartitionSplit> context,
            TopicWatch topics,
            long checkpoint,
            boolean bounded) {
        this.kafka = kafka;
        this.context = context;
        this.topics = topics;
        this.checkpoint = checkpoint;
        this.bounded = bounded;
        // Complements the readers' metric of this name, which covers their own partitions.
        context.metricGroup().gauge(PENDING, () -> unread == 0 ? Double.NaN : unread);
    }

    @Override
    public void start() {
        kafka.start();
        long every = EVERY.toMillis();
        context.callAsync(topics::look, this::looked, 0, every);
        if (!bounded) { // a bounded source does not read added partitions
            context.callAsync(() -> topics.unread(discovered), this::counted, every, every);
        }
    }

    /** Takes the number of unread messages, in the coordinator's thread. */
    private void counted(@Nullable Long messages, @Nullable Throwable failure) {
        if (closed) {
            return;
        }
        unread = messages == null ? 0 : messages; // the watch of topics reports a failure
        try {
            discovered =
                    kafka.snapshotState(checkpoint).splits().stream()
                            .map(split -> split.split().getTopicPartition())
                            .collect(Collectors.toUnmodifiableSet());
        } catch (Exception e) {
            throw new IllegalStateException("the partitions of the readers are not known", e);
        }
    }

    /** Takes the present topics, in the coordinator's thread, where an exception fails the job. */
    private void looked(@Nullable Map<String, String> now, @Nullable Throwable failure) {
        if (found || closed) {
            return; // the job is failing already, or ends
        }
        if (now == null) {
            topics.cannotLook(failure == null ? new IOException("no answer") : failure);
            return;
        }
        Optional<TopicWatch.Finding> finding = topics.judge(now, checkpoint);
        if (finding.isPresent()) {
            found = true;
            SluiceException reason = new SluiceException(finding.get().sentence());
            if (finding.get().restartHelps()) {
                LOG.warn(reason.getMessage());
                throw reason;
            }
            throw new SuppressRestartsException(reason);
        }
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        kafka.handleSplitRequest(subtask, host);
    }

    @Override
    public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {
        kafka.addSplitsBack(splits, subtask);
    }

    @Override
    public void addReader(int subtask) {
        kafka.addReader(subtask);
    }

    @Override
    public PacketSourceState snapshotState(long id) throws Exception {
        return new PacketSourceState(kafka.snapshotState(id), topics.ids(), id);
    }

    @Override
    public void notifyCheckpointComplete(long id) throws Exception {
        checkpoint = id;
        kafka.notifyCheckpointComplete(id);
    }

    @Override
    public void notifyCheckpointAborted(long id) throws Exception {
        kafka.notifyCheckpointAborted(id);
    }

    @Override
    public void close() throws IOException {
        closed = true; // a pending request fails now
        topics.close();
        kafka.close();
    }
}
