package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.PacketBlock;

/**
 * A packet block whose verdicts are not all emitted. Its headers may lie in several batches; these
 * are all looked up under one rule set, as rules change between blocks only.
 */
final class PendingBlock {
    final PacketBlock block;

    /**
     * For each header the verdict of the version in use, or {@link
     * dev.sluice.engine.lookup.VerdictBatch#MISS}; written by the worker, batch by batch.
     */
    final int[] verdicts;

    PendingBlock(PacketBlock block) {
        this.block = block;
        this.verdicts = new int[block.count()];
    }
}
