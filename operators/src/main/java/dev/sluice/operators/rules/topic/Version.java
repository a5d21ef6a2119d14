package dev.sluice.operators.rules.topic;

import dev.sluice.engine.rules.RuleDelta;
import org.jspecify.annotations.Nullable;

/**
 * A version of the rules as a transaction has made it. Immutable.
 *
 * @param transaction the transaction
 * @param delta what it changes of the version before; null: perhaps everything, name and default
 *     action included
 * @param newHistory whether another history has replaced the one before
 * @param effectiveTimeNs event time from which it is in force, ns since 1970 UTC; {@link
 *     EffectiveTimes#NONE} if no record had a time
 */
public record Version(
        RuleTransaction transaction,
        @Nullable RuleDelta delta,
        boolean newHistory,
        long effectiveTimeNs) {
    /** Id of its history. */
    public String history() {
        return transaction.history();
    }

    /** Its number in its history. */
    public long number() {
        return transaction.version();
    }
}
