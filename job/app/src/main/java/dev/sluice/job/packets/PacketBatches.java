package dev.sluice.job.packets;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Batches of a poll's messages. The fetcher's thread makes them, and the task's thread then uses
 * them.
 */
final class PacketBatches implements RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> {
    private record OfSplit(String split, Iterator<PacketBatch> batches) {}

    private final Deque<OfSplit> splits = new ArrayDeque<>();
    private final Set<String> finished;
    private @Nullable OfSplit current;

    /**
     * Creates an empty result.
     *
     * @param finished splits that have ended
     */
    PacketBatches(Set<String> finished) {
        this.finished = finished;
    }

    /** Adds the batches of a split; called once for each split. */
    void add(String split, List<PacketBatch> batches) {
        splits.add(new OfSplit(split, batches.iterator()));
    }

    @Override
    public @Nullable String nextSplit() {
        OfSplit next = splits.poll();
        current = next;
        return next == null ? null : next.split;
    }

    @Override
    public @Nullable ConsumerRecord<byte[], byte[]> nextRecordFromSplit() {
        OfSplit split = current;
        if (split == null) {
            throw new IllegalStateException("no split was requested, or there are no more");
        }
        return split.batches.hasNext() ? split.batches.next() : null;
    }

    @Override
    public Set<String> finishedSplits() {
        return finished;
    }
}
