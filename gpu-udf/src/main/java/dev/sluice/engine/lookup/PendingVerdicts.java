package dev.sluice.engine.lookup;

/** The verdicts on a batch whose look-up has started. */
public interface PendingVerdicts {
    /** Verdicts that are there. */
    PendingVerdicts READY = () -> {};

    /**
     * Waits until the verdicts are there. To be called once, by any thread: afterwards this may
     * stand for another batch.
     */
    void await();
}
