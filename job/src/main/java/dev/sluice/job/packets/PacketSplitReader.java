package dev.sluice.job.packets;

import java.io.IOException;
import java.util.Properties;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The connector's split reader, which turns what it polls into {@link PacketBatch}es. A subclass,
 * because the connector's fetcher commits offsets through that class. Used by the fetcher's thread.
 */
@SuppressWarnings("try") // the connector's close() may throw anything
final class PacketSplitReader extends KafkaPartitionSplitReader {
    private final PacketBatcher batcher;

    /**
     * A reader.
     *
     * @param consumer properties of its Kafka consumer
     */
    PacketSplitReader(
            Properties consumer,
            SourceReaderContext context,
            KafkaSourceReaderMetrics metrics,
            PacketBatcher batcher) {
        super(consumer, context, metrics);
        this.batcher = batcher;
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
        return batched(super.fetch(), batcher);
    }

    /** The batches of what was polled, partition by partition. */
    static PacketBatches batched(
            RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> polled, PacketBatcher batcher) {
        PacketBatches batches = new PacketBatches(polled.finishedSplits());
        for (String split = polled.nextSplit(); split != null; split = polled.nextSplit()) {
            ConsumerRecord<byte[], byte[]> message = polled.nextRecordFromSplit();
            while (message != null) {
                batcher.add(message);
                message = polled.nextRecordFromSplit();
            }
            batches.add(split, batcher.take());
        }
        polled.recycle();
        return batches;
    }
}
