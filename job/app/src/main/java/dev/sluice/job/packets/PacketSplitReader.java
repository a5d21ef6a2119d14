package dev.sluice.job.packets;

import static org.apache.kafka.clients.consumer.ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.connector.base.source.reader.RecordsBySplits;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsAddition;
import org.apache.flink.connector.base.source.reader.splitreader.SplitsChange;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Split reader of the connector that converts the polled messages to {@link PacketBatch}es.
 *
 * <p>It is a subclass, since the connector's fetcher commits offsets through that class. Used by
 * the fetcher's thread.
 */
@SuppressWarnings("try") // the connector's close() may throw anything
final class PacketSplitReader extends KafkaPartitionSplitReader {
    private final PacketBatcher batcher;
    private final @Nullable LookBack lookBack;

    /**
     * Creates a reader.
     *
     * @param consumer properties of its Kafka consumer
     * @param lookingBack whether messages before the first one of a partition matter
     */
    PacketSplitReader(
            Properties consumer,
            SourceReaderContext context,
            KafkaSourceReaderMetrics metrics,
            PacketBatcher batcher,
            boolean lookingBack) {
        super(inPlace(consumer), context, metrics);
        this.batcher = batcher;
        lookBack =
                lookingBack
                        ? new LookBack(inPlace(consumer), batcher, Duration.ofMinutes(1))
                        : null;
    }

    /**
     * Makes the consumer leave values in the fetched bytes: an array for each would copy all
     * packets.
     */
    private static Properties inPlace(Properties consumer) {
        Properties all = new Properties();
        all.putAll(consumer);
        all.setProperty(VALUE_DESERIALIZER_CLASS_CONFIG, ByteBufferDeserializer.class.getName());
        return all;
    }

    @Override
    public void handleSplitsChanges(SplitsChange<KafkaPartitionSplit> change) {
        if (lookBack != null && change instanceof SplitsAddition) {
            lookBack.before(change.splits());
        }
        super.handleSplitsChanges(change);
    }

    /** Ends the reading of frames before the first ones; to be called by any thread. */
    void endLookBack() {
        if (lookBack != null) {
            lookBack.end();
        }
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
        try {
            return batched(super.fetch(), batcher);
        } catch (OffsetOutOfRangeException e) {
            throw new SuppressRestartsException(new SluiceException(missing(e), e));
        }
    }

    /** Describes the deleted messages, and how to continue without them. */
    private static String missing(OffsetOutOfRangeException e) {
        String places =
                e.offsetOutOfRangePartitions().entrySet().stream()
                        .map(at -> at.getKey() + " at offset " + at.getValue())
                        .sorted()
                        .collect(Collectors.joining(", "));
        return "messages of packets that the job was to read next are not there any more: "
                + places
                + ". They were deleted before they were read (the job is slower than the topic's retention, or somebody cut it), or the topic was made anew. The job stops; its last checkpoint stays. To go on without them, start it without that checkpoint (another folder with --checkpoints) and with --from committed: it begins at what is left";
    }

    /**
     * Converts polled messages to batches, partition by partition.
     *
     * @param polled by a consumer whose values are ByteBuffers
     */
    @SuppressWarnings("unchecked") // the connector assumes that all consumers return arrays
    static RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> batched(
            RecordsWithSplitIds<? extends ConsumerRecord<byte[], ?>> polled,
            PacketBatcher batcher) {
        var batches = new RecordsBySplits.Builder<ConsumerRecord<byte[], byte[]>>();
        batches.addFinishedSplits(polled.finishedSplits());
        for (String split = polled.nextSplit(); split != null; split = polled.nextSplit()) {
            ConsumerRecord<byte[], ?> message = polled.nextRecordFromSplit();
            while (message != null) {
                batcher.add((ConsumerRecord<byte[], ByteBuffer>) message);
                message = polled.nextRecordFromSplit();
            }
            batches.addAll(split, List.copyOf(batcher.take()));
        }
        polled.recycle();
        return batches.build();
    }
}
