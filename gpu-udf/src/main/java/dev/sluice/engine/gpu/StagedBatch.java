package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.Spares;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A staging buffer that the headers of a batch are written to as they come, so that no copy in the
 * heap is made; and the batch on its way, once it was submitted. Used by one thread at a time; when
 * it was dropped, or its verdicts are there, it serves another batch.
 */
final class StagedBatch implements StagedHeaders, PendingVerdicts {
    private final OffloadPath path;
    private final Spares<StagedBatch> spares;

    /** Changes behind the base, as its launch takes them. */
    private final Changes changes;

    private @Nullable VersionLookUp version;

    /** {@link #changes}; null if nothing changed. */
    private @Nullable Changes changed;

    /** Null while it serves no batch. */
    private @Nullable StagingBuffer buffer;

    private int stride;
    private OffloadMode mode = OffloadMode.PLAIN;

    private @Nullable HeaderBatch spare;

    /** Null until it is submitted. */
    private @Nullable VerdictBatch verdicts;

    private int count;
    private long began;

    /** A batch that goes back to the spare ones when it was dropped or has its verdicts. */
    StagedBatch(OffloadPath path, Changes changes, Spares<StagedBatch> spares) {
        this.path = path;
        this.spares = spares;
        this.changes = changes;
    }

    Changes changes() {
        return changes;
    }

    /**
     * Serves a batch.
     *
     * @param behind {@link #changes}, where they have what changed; null: nothing did
     * @param most most headers, and the distance of two words of one
     */
    void begin(
            VersionLookUp under,
            @Nullable Changes behind,
            StagingBuffer taken,
            int most,
            OffloadMode by) {
        version = under;
        changed = behind;
        buffer = taken;
        stride = most;
        mode = by;
    }

    private StagingBuffer buffer() {
        return require(buffer);
    }

    private static <T> T require(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("these headers were submitted or dropped before");
        }
        return part;
    }

    @Override
    public IntBuffer words() {
        return buffer().headers().words();
    }

    @Override
    public int stride() {
        return stride;
    }

    /** Gives the memory back, and this. */
    private void end() {
        StagingBuffer taken = buffer();
        buffer = null;
        version = null;
        changed = null;
        spare = null;
        verdicts = null;
        path.staging.give(taken);
        spares.give(this);
    }

    @Override
    public void drop() {
        end();
    }

    @Override
    public PendingVerdicts submit(int headers, HeaderBatch copy, VerdictBatch into) {
        StagingBuffer taken = buffer();
        count = headers;
        spare = copy;
        verdicts = into;
        if (headers < path.smallest || path.health.resting()) {
            path.figures.wentToCpu(headers);
            answer();
            return PendingVerdicts.READY;
        }
        tighten();
        try {
            path.launch(taken, mode, changed, stride, headers);
        } catch (GpuException e) {
            failed(e);
            return PendingVerdicts.READY;
        }
        began = path.health.now();
        if (mode.launch() == LaunchMode.ON_DEMAND) {
            await();
            return PendingVerdicts.READY;
        }
        return this;
    }

    /**
     * Of a batch that fills less than half of the buffer, words move together, so that less
     * travels.
     */
    private void tighten() {
        int used = count + 31 & ~31;
        if (2 * used > stride) {
            return;
        }
        IntBuffer words = words();
        for (int p = 1; p < path.headerWords(); p++) {
            for (int i = 0; i < count; i++) {
                words.put(p * used + i, words.get(p * stride + i));
            }
        }
        stride = used;
    }

    @Override
    public void await() {
        long launched = began;
        try {
            path.launcher.await(buffer());
            buffer().verdicts().words().get(0, require(verdicts).rules(), 0, count);
        } catch (GpuException e) {
            failed(e);
            path.took(launched);
            return;
        }
        path.classified(count);
        path.took(launched);
        end();
    }

    private void failed(GpuException e) {
        path.failed(e, count);
        answer();
    }

    /** The CPU answers, from a copy of the headers that is made before the buffer goes. */
    private void answer() {
        HeaderBatch copy = require(spare);
        VersionLookUp under = require(version);
        VerdictBatch into = require(verdicts);
        for (int p = 0; p < path.headerWords(); p++) {
            words().get(p * stride, copy.words(), p * copy.capacity(), count);
        }
        copy.size(count);
        end();
        under.classify(copy, into);
    }
}
