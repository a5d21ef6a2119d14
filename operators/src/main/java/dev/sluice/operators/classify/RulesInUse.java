package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.ServedVersion;

/**
 * Counts the batches that are submitted under a rule set, and closes its look-up when other rules
 * are in force and the last of these batches is emitted. Used by the mailbox thread alone.
 */
final class RulesInUse {
    private final ServedVersion lookup;
    private int batches;
    private boolean replaced;
    private boolean closed;

    RulesInUse(ServedVersion lookup) {
        this.lookup = lookup;
    }

    ServedVersion lookup() {
        return lookup;
    }

    /** A batch of these rules is submitted to the worker. */
    void batchSubmitted() {
        batches++;
    }

    /** A batch of these rules has its verdicts, or has failed. */
    void batchReturned() {
        batches--;
        closeIfUnused();
    }

    /** Other rules are in force. */
    void replaced() {
        replaced = true;
        closeIfUnused();
    }

    private void closeIfUnused() {
        if (replaced && batches == 0) {
            close();
        }
    }

    /** Closes the look-up now; batches that are still counted are never submitted. */
    void close() {
        if (!closed) {
            closed = true;
            lookup.close();
        }
    }

    boolean isClosed() {
        return closed;
    }
}
