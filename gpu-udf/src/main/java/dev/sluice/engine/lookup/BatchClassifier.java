package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/** A classifier that can have several batches under way at once. */
public interface BatchClassifier extends Classifier {
    /**
     * Starts on a batch.
     *
     * @param headers not to be changed before the verdicts are there
     * @param verdicts filled when the verdicts are there
     */
    PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts);

    /**
     * Memory for a batch. Does not wait.
     *
     * @param headers most headers of the batch
     * @return null where there is none free, or headers had better go by {@link #submit}
     */
    default @Nullable StagedHeaders stage(int headers) {
        return null;
    }

    /** Says that no batch comes for a while: what waits for one on a device may leave it. */
    default void rest() {}

    @Override
    default void classify(HeaderBatch headers, VerdictBatch verdicts) {
        submit(headers, verdicts).await();
    }
}
