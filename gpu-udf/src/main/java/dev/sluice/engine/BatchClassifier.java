package dev.sluice.engine;

import dev.sluice.schemas.header.HeaderBatch;

/** A classifier that can have several batches under way at once. */
public interface BatchClassifier extends Classifier {
    /** A batch under way. */
    interface Flight {
        /** Waits until the verdicts are there. To be called once, by any thread. */
        void await();
    }

    /** A flight that has landed. */
    Flight LANDED = () -> {};

    /**
     * Starts on a batch.
     *
     * @param headers not to be changed before the flight has landed
     * @param verdicts filled when the flight has landed
     */
    Flight submit(HeaderBatch headers, VerdictBatch verdicts);

    /** Says that no batch comes for a while: what waits for one on a device may leave it. */
    default void rest() {}

    @Override
    default void classify(HeaderBatch headers, VerdictBatch verdicts) {
        submit(headers, verdicts).await();
    }
}
