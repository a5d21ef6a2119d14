package dev.sluice.engine.tuplespace;

import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/** A structure in one arena, which kernels read as it is: their verdicts are slots then. */
public interface ArenaStructure extends RuleStructure {
    /** The memory. */
    Arena arena();

    /**
     * Looks a batch up in a memory of the structure, which may be another than the one that is
     * written now. Reads nothing else that changes.
     */
    void search(int[] words, HeaderBatch headers, int[] ranks, int[] slots);

    @Override
    default void search(HeaderBatch headers, int[] ranks, int[] slots) {
        search(arena().words(), headers, ranks, slots);
    }

    @Override
    default long bytes() {
        return arena().bytes();
    }

    /** Whether a log may be asked for: then each copy needs a structure of its own. */
    default boolean logs() {
        return false;
    }

    /**
     * What happens from the first call on, rule by rule.
     *
     * @return null if the structure keeps no such log
     */
    default @Nullable RuleLog log() {
        return null;
    }
}
