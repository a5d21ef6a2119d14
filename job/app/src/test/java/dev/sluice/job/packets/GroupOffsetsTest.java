package dev.sluice.job.packets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer.PartitionOffsetsRetriever;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Where a job without a state begins that goes on behind what its group has committed. */
class GroupOffsetsTest {
    private static final TopicPartition PARTITION = new TopicPartition("packets", 0);

    /** A partition with messages from 20 to 29. */
    private record Kafka(Map<TopicPartition, Long> committed) implements PartitionOffsetsRetriever {
        @Override
        public Map<TopicPartition, Long> committedOffsets(Collection<TopicPartition> all) {
            return committed;
        }

        @Override
        public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> all) {
            return Map.of(PARTITION, 30L);
        }

        @Override
        public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> all) {
            return Map.of(PARTITION, 20L);
        }

        @Override
        public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
                Map<TopicPartition, Long> times) {
            throw new AssertionError("times do not matter");
        }
    }

    private static long start(Map<TopicPartition, Long> committed) {
        return new GroupOffsets()
                .getPartitionOffsets(List.of(PARTITION), new Kafka(committed))
                .get(PARTITION);
    }

    @Test
    void itBeginsWhereTheGroupIsAndWithoutOneAtTheStart() {
        assertEquals(25, start(Map.of(PARTITION, 25L)));
        assertEquals(30, start(Map.of(PARTITION, 30L)));
        assertEquals(20, start(Map.of()));
    }

    @Test
    void itBeginsAtWhatIsLeftWhereTheGroupIsOutsideOfTheTopic() {
        assertEquals(20, start(Map.of(PARTITION, 19L)));
        assertEquals(20, start(Map.of(PARTITION, 31L)), "the topic was made anew");
    }
}
