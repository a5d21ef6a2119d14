package dev.sluice.operators.rules.serving;

import java.util.concurrent.atomic.AtomicBoolean;

/** A subtask's share in the {@link RuleStream} of its process; the stream's methods take it. */
public final class RuleLease {
    private final Runnable rulesChanged;
    private final AtomicBoolean notified = new AtomicBoolean();

    /** True if the task emits the stream's dead letters. */
    final boolean reports;

    /** Broadcast messages that the subtask has received; of its mailbox thread. */
    long received;

    /** Serial of the version that it uses, 0 for none; guarded by the lock of the leases. */
    long serial;

    RuleLease(Runnable rulesChanged, boolean reports) {
        this.rulesChanged = rulesChanged;
        this.reports = reports;
    }

    /** Has the task look for what is new, once until it looks; called by the stream's threads. */
    void notifyTask() {
        if (!notified.getAndSet(true)) {
            rulesChanged.run();
        }
    }

    /** The task looks for what is new. */
    void looks() {
        notified.set(false);
    }
}
