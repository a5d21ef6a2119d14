package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import java.nio.IntBuffer;

/**
 * A batch in pinned memory, for measurements: it is launched any number of times and failures are
 * the caller's. Not thread-safe; close it to give the memory back.
 */
public final class PinnedBatch implements AutoCloseable {
    private final GpuClassifier classifier;
    private final StagingBuffer buffer;

    /**
     * Takes pinned memory, waiting for one that is free.
     *
     * @throws dev.sluice.engine.gpu.driver.GpuException if the device failed and was not opened
     *     anew
     */
    public PinnedBatch(GpuClassifier classifier) {
        this.classifier = classifier;
        this.buffer = classifier.path.staging.take();
    }

    /** Room for headers: word w of header i at w * stride + i. */
    public IntBuffer headers() {
        return buffer.headers().words();
    }

    /** The verdicts when they are there, a rule index each. */
    public IntBuffer verdicts() {
        return buffer.verdicts().words();
    }

    /**
     * Starts on the headers.
     *
     * @param stride distance of two words of a header
     * @param count headers
     * @throws GpuException if the device fails
     */
    public void submit(int stride, int count) {
        classifier.path.launch(buffer, classifier.offloadMode(), null, stride, count);
    }

    /**
     * Waits for the verdicts.
     *
     * @throws GpuException if the device fails
     */
    public void await() {
        classifier.path.await(buffer);
    }

    @Override
    public void close() {
        classifier.path.staging.give(buffer);
    }
}
