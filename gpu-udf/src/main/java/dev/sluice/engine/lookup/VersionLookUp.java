package dev.sluice.engine.lookup;

import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * A version of rules that change, as a device looks into it: a compiled base, and what changed up
 * to a tick; unless it says so, nothing. It stays as it is while batches look into it. Thread-safe.
 */
@FunctionalInterface
public interface VersionLookUp {
    /**
     * Returns whether anything changed since the base was compiled; else the base alone answers.
     */
    default boolean changed() {
        return false;
    }

    /** Number of the version among the changes of its base. */
    default int tick() {
        return 0;
    }

    /** Returns the offset of the version's directory among the words of the rules that came. */
    default int directory() {
        return 0;
    }

    /** Returns the source of changes, those of later versions too; null if nothing ever does. */
    default @Nullable ChangeSource source() {
        return null;
    }

    /** Looks a batch up on the CPU; the verdicts are those of the device. */
    void classify(HeaderBatch headers, VerdictBatch verdicts);
}
