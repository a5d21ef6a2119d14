package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.PacketBlock;

/** A packet block on its way: its headers may lie in several batches, all of one rule set. */
final class PendingBlock {
    final PacketBlock block;

    /** Verdict on each header, a position or a miss; written by the worker, batch by batch. */
    final int[] verdicts;

    PendingBlock(PacketBlock block) {
        this.block = block;
        this.verdicts = new int[block.count()];
    }
}
