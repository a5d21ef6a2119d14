package dev.sluice.operators.classify;

import dev.sluice.engine.ServedVersion;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.codec.PacketBlock;
import java.util.ArrayList;
import java.util.Arrays;
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
     * For each header the verdict of the version in use, or {@link VerdictBatch#MISS}; written by
     * the worker, batch by batch.
     */
    final int[] verdicts;

    /**
     * For each header the verdicts of the rules that let it pass in earlier stages, as {@link
     * VerdictBatch#earlier} has them; none where no version has several stages.
     */
    int[][] earlier = {};

    /** Which version judges which headers, up to the last; null: one version judges all. */
    @Nullable List<Run> runs;

    /**
     * For each header the {@link dev.sluice.schemas.codec.VerdictStatus#code} of its verdict; null:
     * all are ok.
     */
    byte @Nullable [] statuses;

    /**
     * For each header the word of its connection's state, {@link
     * dev.sluice.operators.connections.StatefulJudge#word}; null: connections are not tracked.
     */
    int @Nullable [] states;

    /** True once its messages are encoded; written by the worker. */
    volatile boolean encoded;

    /** Versions to close when the block is encoded. */
    private final List<ServedVersion> held = new ArrayList<>(1);

    PendingBlock(PacketBlock block) {
        this.block = block;
        this.verdicts = new int[block.count()];
    }

    /**
     * Takes the verdicts of a batch.
     *
     * @param at the first of them in the batch
     * @param from the header that it is of
     * @param stages earlier stages of the version that judged the batch
     */
    void take(VerdictBatch batch, int at, int from, int count, int stages) {
        System.arraycopy(batch.rules(), at, verdicts, from, count);
        for (int stage = 0; stage < stages; stage++) {
            if (stage == earlier.length) {
                int[] none = new int[verdicts.length];
                Arrays.fill(none, VerdictBatch.MISS);
                earlier = Arrays.copyOf(earlier, stage + 1);
                earlier[stage] = none;
            }
            System.arraycopy(batch.earlier(stage), at, earlier[stage], from, count);
        }
    }

    /** The runs, or one run of all packets where a version is said to judge them all. */
    List<Run> runs(ServedVersion all) {
        return runs == null ? List.of(new Run(verdicts.length, all)) : runs;
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
