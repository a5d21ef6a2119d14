package dev.sluice.job.kafka;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;

/**
 * The topics that a job lives on.
 *
 * @param kafka brokers
 * @param topics each with what the job needs it for
 */
public record WatchedTopics(KafkaClients kafka, List<Topic> topics) implements Serializable {
    /** What a job needs a topic for. */
    public enum Role {
        /** Its offsets are in the job's checkpoints. */
        PACKETS,
        /** Rules in processing time: a job that starts again takes those of another topic. */
        RULES,
        /** Rules that are followed in event time, into another topic of the name, too. */
        FOLLOWED_RULES,
        VERDICTS,
        DEAD_LETTERS,
        STATISTICS;

        /** In a sentence. */
        String text() {
            return switch (this) {
                case RULES, FOLLOWED_RULES -> "rules";
                case DEAD_LETTERS -> "dead letters";
                case PACKETS, VERDICTS, STATISTICS -> name().toLowerCase(Locale.ROOT);
            };
        }
    }

    /** A topic. */
    public record Topic(String name, Role role) implements Serializable {}

    /** Copies the list. */
    public WatchedTopics {
        topics = List.copyOf(topics);
    }
}
