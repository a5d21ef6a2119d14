package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A staging buffer that the headers of a batch are written to as they come, so that no copy in the
 * heap is made. Used by one thread, submitted or dropped once.
 */
final class StagedBatch implements StagedHeaders {
    private final GpuClassifier classifier;
    private final VersionLookUp version;
    private final @Nullable Changes changed;
    private final StagingBuffer buffer;
    private final int stride;
    private final OffloadMode mode;

    StagedBatch(
            GpuClassifier classifier,
            VersionLookUp version,
            @Nullable Changes changed,
            StagingBuffer buffer,
            int stride,
            OffloadMode mode) {
        this.classifier = classifier;
        this.version = version;
        this.changed = changed;
        this.buffer = buffer;
        this.stride = stride;
        this.mode = mode;
    }

    @Override
    public IntBuffer words() {
        return buffer.headers().words();
    }

    @Override
    public int stride() {
        return stride;
    }

    private void giveBack() {
        classifier.device().memory().staging().give(buffer);
    }

    @Override
    public void drop() {
        giveBack();
    }

    @Override
    public PendingVerdicts submit(int count, HeaderBatch spare, VerdictBatch verdicts) {
        if (count < classifier.smallest() || classifier.resting()) {
            classifier.figures().wentToCpu(count);
            answer(count, stride, spare, verdicts);
            return PendingVerdicts.READY;
        }
        int used = tight(count);
        try {
            classifier.launch(buffer, mode, changed, used, count);
            return classifier.underWay(mode, () -> land(count, used, spare, verdicts));
        } catch (GpuException e) {
            failed(e, count, used, spare, verdicts);
            return PendingVerdicts.READY;
        }
    }

    private int headerWords() {
        return classifier.layout().size();
    }

    /**
     * Of a batch that fills less than half of the buffer, words move together, so that less
     * travels.
     *
     * @return the stride from now on
     */
    private int tight(int count) {
        int used = count + 31 & ~31;
        if (2 * used > stride) {
            return stride;
        }
        IntBuffer words = words();
        for (int p = 1; p < headerWords(); p++) {
            for (int i = 0; i < count; i++) {
                words.put(p * used + i, words.get(p * stride + i));
            }
        }
        return used;
    }

    private void land(int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
        try {
            classifier.device().launcher().await(buffer);
            buffer.verdicts().words().get(0, verdicts.rules(), 0, count);
        } catch (GpuException e) {
            failed(e, count, used, spare, verdicts);
            return;
        }
        giveBack();
        classifier.classified(count);
    }

    private void failed(
            GpuException e, int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
        classifier.failed(e, count);
        answer(count, used, spare, verdicts);
    }

    /** The CPU answers, from a copy of the headers that is made before the buffer goes. */
    private void answer(int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
        for (int p = 0; p < headerWords(); p++) {
            words().get(p * used, spare.words(), p * spare.capacity(), count);
        }
        spare.size(count);
        giveBack();
        version.classify(spare, verdicts);
    }
}
