package dev.sluice.engine.lookup;

import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * A version of rules that change, as a device looks into it: a compiled base, and what changed up
 * to a tick. It stays as it is while batches look into it. Thread-safe.
 */
public interface VersionLookUp {
    /**
     * Returns whether anything changed since the base was compiled; else the base alone answers.
     */
    boolean changed();

    /** Number of the version among the changes of its base. */
    int tick();

    /** Returns the offset of the version's directory among the words of the rules that came. */
    int directory();

    /** Returns the source of changes, those of later versions too; null if nothing ever does. */
    @Nullable ChangeSource source();

    /** Looks a batch up on the CPU; the verdicts are those of the device. */
    void classify(HeaderBatch headers, VerdictBatch verdicts);
}
