package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A committed transaction of the rules topic. Immutable, but for the messages' bytes, which nobody
 * writes.
 *
 * @param id random id of the transaction
 * @param history id of the history that it belongs to
 * @param version rule-set version that it makes
 * @param base version that a delta changes; null for a snapshot
 * @param kind whether it replaces all rules or changes those of its base
 * @param ruleSet name of the rule set
 * @param defaultAction action where no rule matches
 * @param effectiveTimeNs event time from which it asks to be in force, ns since 1970 UTC, or null
 * @param puts rules that it adds, or changes where the id is there; without a place only in
 *     snapshots whose order is that of the list
 * @param removes ids that it removes before it puts
 * @param shifts how lines of rules move that it does not put
 * @param commitTimeNs time of the COMMIT's record, ns since 1970 UTC, or {@link #NO_TIME}
 * @param messages its messages as they came, from BEGIN to COMMIT
 */
public record RuleTransaction(
        String id,
        String history,
        long version,
        @Nullable Long base,
        Kind kind,
        String ruleSet,
        String defaultAction,
        @Nullable Long effectiveTimeNs,
        List<Rule> puts,
        List<Long> removes,
        List<LineShift> shifts,
        long commitTimeNs,
        List<byte[]> messages) {
    /** The time of a record that has none. */
    public static final long NO_TIME = Long.MIN_VALUE;

    /**
     * The highest version: beyond it, programs that read JSON no longer tell versions apart, and
     * the next one would soon be none.
     */
    public static final long MAX_VERSION = (1L << 53) - 1;

    /** Copies the lists. */
    public RuleTransaction {
        puts = List.copyOf(puts);
        removes = List.copyOf(removes);
        shifts = List.copyOf(shifts);
        messages = List.copyOf(messages);
    }

    /** Tells whether a number may be that of a version. */
    public static boolean isVersion(long number) {
        return number >= 0 && number <= MAX_VERSION;
    }
}
