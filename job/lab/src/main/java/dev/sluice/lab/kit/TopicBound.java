package dev.sluice.lab.kit;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Retention bound of a topic that is written to without end. Each partition keeps its newest
 * messages, and older ones are deleted, read or not.
 *
 * <p>Kafka deletes whole segments at each check, and a second later from the disk. A segment is an
 * eighth of the bound. A partition takes as much disk as its bound, one active segment, and the
 * messages that arrive between two checks of the broker ({@code log.retention.check.interval.ms}:
 * five minutes by default, a second in {@link dev.sluice.job.kafka.EmbeddedBroker}).
 *
 * @param partitionBytes bound of each partition, at least {@link #LEAST_BYTES}
 */
public record TopicBound(long partitionBytes) {
    /** Least bound of a partition: eight segments of some of the largest messages. */
    public static final long LEAST_BYTES = 16L << 20;

    private static final int SEGMENTS = 8;
    private static final long MOST_SEGMENT_BYTES = 128L << 20;

    /** Checks the bound. */
    public TopicBound {
        if (partitionBytes < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "a partition cannot keep %d bytes; the least value is %d"
                            .formatted(partitionBytes, LEAST_BYTES));
        }
    }

    /** Returns a topic to create, with this bound beside its other settings. */
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
