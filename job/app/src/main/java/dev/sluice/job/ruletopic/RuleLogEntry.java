package dev.sluice.job.ruletopic;

import dev.sluice.operators.rules.topic.EffectiveTimes;
import dev.sluice.schemas.codec.RuleChange.Kind;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in the rules topic, or a message that belongs to none, as its log shows it.
 *
 * @param history id of the history that it belongs to; empty: none
 * @param version the version that it makes; 0: it belongs to none
 * @param base the version that it changes; null for a snapshot
 * @param kind whether it replaces all rules; UNKNOWN: it is no transaction
 * @param puts rules that it adds or changes
 * @param removes rules that it removes
 * @param ruleSet name of the rule set, usually its file
 * @param defaultAction action of packets that no rule matches; empty: it is no transaction
 * @param effectiveTimeNs event time that its publisher gave, ns since 1970 UTC; null: none
 * @param inForceNs event time from which it is in force: the later of the given one, or else of its
 *     commit, and the one before; {@link EffectiveTimes#NONE} if readers drop it
 * @param commitTimeNs when it was committed, ns since 1970 UTC
 * @param publisher who published it, empty if unknown
 * @param bytes sum of its messages
 * @param offset where its BEGIN stands; -1: unknown
 * @param commitOffset where its COMMIT stands
 * @param refusal why readers drop it, or null if they take it
 */
public record RuleLogEntry(
        String history,
        long version,
        @Nullable Long base,
        Kind kind,
        int puts,
        int removes,
        String ruleSet,
        String defaultAction,
        @Nullable Long effectiveTimeNs,
        long inForceNs,
        long commitTimeNs,
        String publisher,
        long bytes,
        long offset,
        long commitOffset,
        @Nullable String refusal) {
    /** A message that is none of a transaction. */
    static RuleLogEntry unreadable(ConsumerRecord<byte[], byte[]> message, String refusal) {
        return ofNone(
                message.offset(),
                message.timestamp() * 1_000_000L,
                message.value().length,
                refusal);
    }

    /** Entry of a message of no transaction: its place, and why readers drop it. */
    static RuleLogEntry ofNone(long offset, long timeNs, long bytes, @Nullable String refusal) {
        return new RuleLogEntry(
                "",
                0,
                null,
                Kind.UNKNOWN,
                0,
                0,
                "",
                "",
                null,
                EffectiveTimes.NONE,
                timeNs,
                "",
                bytes,
                offset,
                offset,
                refusal);
    }

    /** Tells whether it is a transaction, whole or not. */
    public boolean isTransaction() {
        return kind != Kind.UNKNOWN;
    }

    /** Changes of the rules; a transaction without any counts as one. */
    public long changes() {
        return Math.max(1, (long) puts + removes);
    }
}
