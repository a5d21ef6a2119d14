package dev.sluice.engine.space;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.image.Arena;

/** A structure in one arena, which kernels read as it is: their verdicts are slots then. */
public interface ArenaSpace extends RuleSpace {
    /** The memory. */
    Arena arena();

    /** The algorithm that looks into it. */
    Algorithm algorithm();
}
