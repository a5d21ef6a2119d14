package dev.sluice.operators.rules.serving;

import dev.sluice.engine.rules.RuleDelta;
import org.jspecify.annotations.Nullable;

/**
 * A committed transaction that the content of the rules has followed.
 *
 * @param serial number of the step, from 1 in each process
 * @param index number of the broadcast message that committed it; 0 for what a subtask may use from
 *     its start on: restored, or read by the bootstrap
 * @param history id of its history
 * @param version rule-set version that it makes
 * @param delta what it changes of the version before; null if it may change everything
 */
record ContentStep(
        long serial, long index, String history, long version, @Nullable RuleDelta delta) {
    /** Rules that the delta names. */
    long weight() {
        RuleDelta changes = delta;
        return changes == null
                ? 0
                : (long) changes.removes().size()
                        + changes.inserts().size()
                        + changes.shifts().size();
    }

    /** The step, of which no more is known than that it may change everything. */
    ContentStep withoutDelta() {
        return new ContentStep(serial, index, history, version, null);
    }
}
