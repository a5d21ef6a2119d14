package dev.sluice.engine.tuplespace;

import dev.sluice.engine.lookup.RuleStructure;
import dev.sluice.engine.memory.Arena;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * A structure whose look-ups read nothing but one arena. So a second buffer of the arena, or a copy
 * on a device, is a second copy of the rules; look-ups there find slots.
 */
public interface ArenaStructure extends RuleStructure {
    /** The memory. */
    Arena arena();

    /**
     * Looks a batch up in a buffer of the structure's arena, which may be another than the one that
     * is written now. Reads nothing else that changes.
     *
     * @param words the buffer's words
     * @param ranks gets the rank of each header's best rule, {@link Integer#MAX_VALUE} for none
     * @param slots gets its slot, or -1
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

    /**
     * Returns whether {@link #log} returns a log. Then two copies of the rules need a structure
     * each, since a log is one structure's.
     */
    default boolean logs() {
        return false;
    }

    /**
     * The log of rules that come and go, from the first call on.
     *
     * @return null if the structure keeps no such log
     */
    default @Nullable RuleLog log() {
        return null;
    }
}
