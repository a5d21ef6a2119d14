package dev.sluice.operators.classify;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.statistics.CountedRules;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import org.jspecify.annotations.Nullable;

/**
 * A rule set that is ready for look-ups: what the batch pipeline needs of the engine. {@link
 * #submit} is called by the worker, the other methods in the mailbox thread.
 */
interface RuleSetLookup extends CountedRules, AutoCloseable {
    /** The rules. */
    RuleSet rules();

    @Override
    default String history() {
        return "";
    }

    @Override
    default long number() {
        return rules().version();
    }

    @Override
    default int verdicts() {
        return rules().size();
    }

    @Override
    default long ruleId(int verdict) {
        return rules().rules().get(verdict).id();
    }

    /** The layout of the batches to submit. */
    HeaderLayout layout();

    /**
     * Memory of a device that the headers of a batch can be written to without a detour over the
     * heap. Does not wait.
     *
     * @param headers most headers of the batch
     * @return null where there is none, and the headers go by {@link #submit}
     */
    @Nullable StagedHeaders stage(int headers);

    /**
     * Starts on a batch.
     *
     * @param headers not to be changed before the verdicts are there
     * @param verdicts filled when the verdicts are there
     */
    PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts);

    /** Says that no batch comes for a while: what waits for one on a device may leave it. */
    void rest();

    /** Gives back what a device holds of the rules. None of their batches is under way any more. */
    @Override
    void close();
}
