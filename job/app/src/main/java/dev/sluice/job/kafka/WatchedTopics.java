package dev.sluice.job.kafka;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;

/**
 * Topics that a job needs.
 *
 * @param kafka brokers
 * @param topics each with its role in the job
 */
public record WatchedTopics(KafkaClients kafka, List<Topic> topics) implements Serializable {
    /** Role of a topic in a job. */
    public enum Role {
        /** Packets; the job's checkpoints contain their offsets. */
        PACKETS,
        /** Rules in processing time; a restarted job takes the rules of a recreated topic. */
        RULES,
        /** Rules that are followed in event time, even into a recreated topic. */
        FOLLOWED_RULES,
        VERDICTS,
        DEAD_LETTERS,
        STATISTICS,
        CONNECTIONS,
        SHADOW;

        /** Returns the role's name in a sentence. */
        String text() {
            return switch (this) {
                case RULES, FOLLOWED_RULES -> "rules";
                case DEAD_LETTERS -> "dead letters";
                case PACKETS, VERDICTS, STATISTICS, CONNECTIONS, SHADOW ->
                        name().toLowerCase(Locale.ROOT);
            };
        }
    }

    /** Topic with its role. */
    public record Topic(String name, Role role) implements Serializable {}

    /** Copies the list. */
    public WatchedTopics {
        topics = List.copyOf(topics);
    }
}
