package dev.sluice.job.packets;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts behind what the group has committed, and at the start of a partition where it has nothing,
 * or where what follows that is deleted, which is said. The connector would leave this to its
 * readers' consumers, which then pass over deleted messages later on, too, without a word.
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
