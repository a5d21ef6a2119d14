package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.PacketBlock;
import org.jspecify.annotations.Nullable;

/**
 * A packet block whose verdicts are not all emitted. Its headers may lie in several batches; these
 * are all looked up under one rule set, as rules change between blocks only.
 */
final class PendingBlock {
    final PacketBlock block;

    /**
     * For each header the position of its rule in the rule set, or {@link
     * dev.sluice.engine.lookup.VerdictBatch#MISS}; written by the worker, batch by batch.
     */
    final int[] verdicts;

    /** For each header the version that judges it; null: that of the rules, for all. */
    long @Nullable [] versions;

    /**
     * For each header the {@link dev.sluice.schemas.codec.VerdictStatus#code} of its verdict; null:
     * all are ok.
     */
    int @Nullable [] statuses;

    PendingBlock(PacketBlock block) {
        this.block = block;
        this.verdicts = new int[block.count()];
    }
}
