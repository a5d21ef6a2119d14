package dev.sluice.job.kafka;

import java.io.Serializable;

/**
 * Names of the topics.
 *
 * @param packets PacketBlock and PacketHeader messages
 * @param rules RuleChange messages, one partition
 * @param verdicts VerdictBlock or Verdict messages
 * @param deadLetters DeadLetter messages
 * @param statistics RuleStatistics messages, compacted
 * @param statisticsWindows RuleStatistics messages of windows, compacted
 */
public record TopicNames(
        String packets,
        String rules,
        String verdicts,
        String deadLetters,
        String statistics,
        String statisticsWindows)
        implements Serializable {
    public static final String PACKETS = "sluice-packets";
    public static final String RULES = "sluice-rules";
    public static final String VERDICTS = "sluice-verdicts";
    public static final String DEAD_LETTERS = "sluice-dead-letters";
    public static final String STATISTICS = "sluice-stats";
    public static final String STATISTICS_WINDOWS = "sluice-stats-windows";

    /** Returns the default names. */
    public static TopicNames defaults() {
        return new TopicNames(
                PACKETS, RULES, VERDICTS, DEAD_LETTERS, STATISTICS, STATISTICS_WINDOWS);
    }
}
