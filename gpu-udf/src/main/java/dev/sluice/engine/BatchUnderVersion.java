package dev.sluice.engine;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.Spares;
import org.jspecify.annotations.Nullable;

/**
 * A batch that is under way under a version which is held until its verdicts are there. Serves
 * another batch then.
 */
final class BatchUnderVersion implements PendingVerdicts {
    private final Spares<BatchUnderVersion> spares;
    private @Nullable RuleSetVersion version;
    private @Nullable PendingVerdicts pending;

    BatchUnderVersion(Spares<BatchUnderVersion> spares) {
        this.spares = spares;
    }

    /** Takes a batch, and the version that is held for it. */
    void begin(RuleSetVersion held, PendingVerdicts underWay) {
        version = held;
        pending = underWay;
    }

    @Override
    public void await() {
        RuleSetVersion held = version;
        PendingVerdicts underWay = pending;
        if (held == null || underWay == null) {
            throw new IllegalStateException("the verdicts on this batch were awaited before");
        }
        version = null;
        pending = null;
        try {
            underWay.await();
        } finally {
            held.close();
            spares.give(this);
        }
    }
}
