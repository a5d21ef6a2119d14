package dev.sluice.engine.space;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Arena;
import org.jspecify.annotations.Nullable;

/** A structure in one arena, which kernels read as it is: their verdicts are slots then. */
public interface ArenaSpace extends RuleSpace {
    /** The memory. */
    Arena arena();

    /** The algorithm that looks into it. */
    Algorithm algorithm();

    /**
     * What happens from the first call on, rule by rule.
     *
     * @return null if the structure keeps no such log
     */
    default @Nullable RuleLog log() {
        return null;
    }
}
