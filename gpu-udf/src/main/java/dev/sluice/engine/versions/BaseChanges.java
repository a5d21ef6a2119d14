package dev.sluice.engine.versions;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a base that look-ups of all its versions read: when rules of the base were removed,
 * and which verdicts are touched. One thread writes, any number read.
 */
final class BaseChanges {
    final Base base;
    final Accelerators limits;

    /** By position in the base: the tick at which the rule was removed, or NEVER. */
    final int[] removedAt;

    /** Verdicts of the base that changes may have made others. */
    final TouchedVerdicts touched;

    /** Ticks in use. */
    final OpenTicks open = new OpenTicks();

    /** Source of changes for a copy elsewhere; null if there is none. */
    volatile @Nullable NotedChanges noted;

    /** No changes so far. */
    BaseChanges(Base base, Accelerators limits) {
        this.base = base;
        this.limits = limits;
        this.removedAt = new int[base.size()];
        Arrays.fill(removedAt, VersionedTuplesLayout.NEVER);
        this.touched = new TouchedVerdicts(base.size(), limits);
    }

    /** Sets the tick at which a rule of the base was removed, or NEVER. */
    void removed(int position, int tick) {
        removedAt[position] = tick;
        NotedChanges known = noted;
        if (known != null) {
            known.removed().written(position, 1);
        }
    }
}
