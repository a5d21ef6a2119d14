package dev.sluice.job.packets;

import dev.sluice.job.kafka.CommittedPlace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;

/**
 * Reader of the connector that commits a {@link CommittedPlace} with each offset. Used by the
 * task's thread.
 */
@SuppressWarnings("try") // the connector's close() may throw anything
final class PacketSourceReader extends KafkaSourceReader<Tuple2<Integer, byte[]>> {
    private final Commits commits;

    /** Offsets of checkpoints that are not complete yet. */
    private final TreeMap<Long, Map<TopicPartition, Long>> taken = new TreeMap<>();

    /**
     * Offsets of the last complete checkpoint; for partitions without one, their starting offsets.
     */
    private final Map<TopicPartition, Long> offsets = new HashMap<>();

    /** Checkpoints of {@link #offsets}; 0: none. */
    private final Map<TopicPartition, Long> checkpoints = new HashMap<>();

    PacketSourceReader(
            FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
                    polled,
            Commits commits,
            Configuration config,
            SourceReaderContext context,
            KafkaSourceReaderMetrics metrics) {
        super(
                polled,
                commits,
                new KafkaRecordEmitter<>(new PacketEmission()),
                config,
                context,
                metrics);
        this.commits = commits;
    }

    /** Fetcher manager that commits offsets through the fetcher's consumer, with metadata. */
    static final class Commits extends KafkaSourceFetcherManager {
        private Map<TopicPartition, CommittedPlace> notes = Map.of();

        Commits(
                FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>>
                        polled,
                Supplier<PacketSplitReader> readers) {
            super(polled, readers::get, unused -> {});
        }

        @Override
        public void commitOffsets(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            Map<TopicPartition, OffsetAndMetadata> noted = new HashMap<>(offsets);
            noted.replaceAll(
                    (partition, offset) -> {
                        CommittedPlace note = notes.get(partition);
                        return note == null
                                ? offset
                                : new OffsetAndMetadata(offset.offset(), note.text());
                    });
            super.commitOffsets(noted, callback);
        }

        /** Also ends what the fetcher wakes nobody from: the adding of splits. */
        @Override
        public synchronized void close(long timeoutMs) throws Exception {
            for (var fetcher : fetchers.values()) {
                ((PacketSplitReader) fetcher.getSplitReader()).endLookBack();
            }
            super.close(timeoutMs);
        }
    }

    @Override
    public void addSplits(List<KafkaPartitionSplit> splits) {
        for (KafkaPartitionSplit split : splits) {
            offsets.put(split.getTopicPartition(), split.getStartingOffset());
            checkpoints.put(split.getTopicPartition(), 0L);
        }
        super.addSplits(splits);
    }

    @Override
    public List<KafkaPartitionSplit> snapshotState(long checkpoint) {
        List<KafkaPartitionSplit> splits = super.snapshotState(checkpoint);
        Map<TopicPartition, Long> now = new HashMap<>();
        splits.forEach(split -> now.put(split.getTopicPartition(), split.getStartingOffset()));
        taken.put(checkpoint, now);
        return splits;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) throws Exception {
        Map<TopicPartition, CommittedPlace> notes = new HashMap<>();
        offsets.forEach(
                (partition, offset) ->
                        notes.put(
                                partition,
                                new CommittedPlace(
                                        checkpoint,
                                        checkpoints.getOrDefault(partition, 0L),
                                        offset)));
        commits.notes = notes;
        super.notifyCheckpointComplete(checkpoint);
        Map<TopicPartition, Long> now = taken.getOrDefault(checkpoint, Map.of());
        taken.headMap(checkpoint, true).clear();
        now.forEach(
                (partition, offset) -> {
                    offsets.put(partition, offset);
                    checkpoints.put(partition, checkpoint);
                });
    }
}
