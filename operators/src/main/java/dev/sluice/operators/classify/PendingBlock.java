package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A packet block whose verdicts are not all emitted. Its headers may lie in several batches. Unless
 * it has {@link #runs}, these are all looked up under one rule set, as rules change between blocks
 * only.
 */
final class PendingBlock {
    /**
     * Headers that one version judges.
     *
     * @param end the header behind the last; the first is the one behind the run before
     */
    record Run(int end, ServedVersion rules) {}

    final PacketBlock block;

    /** When the operator took it, {@link System#nanoTime}. */
    final long takenNanos = System.nanoTime();

    /**
     * For each header the verdict of the version in use, or {@link
     * dev.sluice.engine.lookup.VerdictBatch#MISS}; written by the worker, batch by batch.
     */
    final int[] verdicts;

    /** Which version judges which headers, up to the last; null: one version judges all. */
    @Nullable List<Run> runs;

    /**
     * For each header the {@link dev.sluice.schemas.codec.VerdictStatus#code} of its verdict; null:
     * all are ok.
     */
    byte @Nullable [] statuses;

    /** True once its messages are encoded; written by the worker. */
    volatile boolean encoded;

    /** Versions to close when the block is encoded. */
    private final List<ServedVersion> held = new ArrayList<>(1);

    PendingBlock(PacketBlock block) {
        this.block = block;
        this.verdicts = new int[block.count()];
    }

    /** Takes over a version that judges packets of the block; in the mailbox thread. */
    void hold(ServedVersion rules) {
        held.add(rules);
    }

    /** Gives back what is held, when the worker needs it no more; in the mailbox thread. */
    void release() {
        held.forEach(ServedVersion::close);
        held.clear();
    }
}
