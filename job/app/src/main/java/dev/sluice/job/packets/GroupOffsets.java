package dev.sluice.job.packets;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starting offsets committed by the consumer group; the partition's start where it has committed
 * none.
 *
 * <p>If the messages after a committed offset were deleted, the job starts at the partition's start
 * and logs a warning. The connector would leave both cases to its readers' consumers, which then
 * also skip messages deleted later, silently.
 */
final class GroupOffsets implements OffsetsInitializer {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(GroupOffsets.class);

    @Override
    public Map<TopicPartition, Long> getPartitionOffsets(
            Collection<TopicPartition> partitions, PartitionOffsetsRetriever kafka) {
        Map<TopicPartition, Long> committed = kafka.committedOffsets(partitions);
        Map<TopicPartition, Long> beginnings = kafka.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = kafka.endOffsets(partitions);
        Map<TopicPartition, Long> starts = new HashMap<>();
        for (TopicPartition partition : partitions) {
            long beginning = beginnings.getOrDefault(partition, 0L);
            Long wanted = committed.get(partition);
            long start = wanted == null ? beginning : wanted;
            if (start < beginning || start > ends.getOrDefault(partition, Long.MAX_VALUE)) {
                LOG.warn(
                        "the group has committed offset {} of {}, which has no such messages any more (it was cut, or made anew): the job begins at {}",
                        start,
                        partition,
                        beginning);
                start = beginning;
            }
            starts.put(partition, start);
        }
        return starts;
    }

    @Override
    @SuppressWarnings("deprecation") // the connector asks for the deprecated enum
    public org.apache.kafka.clients.consumer.OffsetResetStrategy getAutoOffsetResetStrategy() {
        return org.apache.kafka.clients.consumer.OffsetResetStrategy.EARLIEST;
    }
}
