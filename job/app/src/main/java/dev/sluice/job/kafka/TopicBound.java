package dev.sluice.job.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Keeps a topic small while it is written to without end: of each partition the newest messages are
 * kept, and what is older is deleted, read or not.
 *
 * <p>Kafka deletes whole segments, each time it looks for those that it may delete, and a second
 * later from the disk. So a segment is an eighth of what is kept, and a partition takes as much as
 * its bound, a segment that is being filled, and what comes between two looks of the broker ({@code
 * log.retention.check.interval.ms}: five minutes unless it is set, a second in {@link
 * EmbeddedBroker}).
 *
 * @param partitionBytes that a partition keeps, {@link #LEAST_BYTES} at least
 */
public record TopicBound(long partitionBytes) {
    /** Least that a partition can keep: eight segments of some of the largest messages. */
    public static final long LEAST_BYTES = 16L << 20;

    private static final int SEGMENTS = 8;
    private static final long MOST_SEGMENT_BYTES = 128L << 20;

    /** Checks the bound. */
    public TopicBound {
        if (partitionBytes < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "a partition cannot keep %d bytes, %d are the least"
                            .formatted(partitionBytes, LEAST_BYTES));
        }
    }

    /** A topic to create, with this bound beside its other settings. */
    public NewTopic apply(NewTopic topic) {
        Map<String, String> configs = new HashMap<>();
        if (topic.configs() != null) {
            configs.putAll(topic.configs());
        }
        configs.put("retention.bytes", String.valueOf(partitionBytes));
        configs.put(
                "segment.bytes",
                String.valueOf(Math.min(MOST_SEGMENT_BYTES, partitionBytes / SEGMENTS)));
        configs.put("file.delete.delay.ms", "1000");
        return topic.configs(configs);
    }
}
