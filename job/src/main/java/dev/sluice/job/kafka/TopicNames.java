package dev.sluice.job.kafka;

import java.io.Serializable;

/**
 * Names of the four topics.
 *
 * @param packets PacketBlock and PacketHeader messages
 * @param rules RuleChange messages, one partition
 * @param verdicts VerdictBlock or Verdict messages
 * @param deadLetters DeadLetter messages
 */
public record TopicNames(String packets, String rules, String verdicts, String deadLetters)
        implements Serializable {
    public static final String PACKETS = "sluice-packets";
    public static final String RULES = "sluice-rules";
    public static final String VERDICTS = "sluice-verdicts";
    public static final String DEAD_LETTERS = "sluice-dead-letters";

    /** The names that are used if no others are given. */
    public static TopicNames defaults() {
        return new TopicNames(PACKETS, RULES, VERDICTS, DEAD_LETTERS);
    }
}
