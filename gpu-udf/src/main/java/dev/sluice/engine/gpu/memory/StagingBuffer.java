package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Memory of a batch until its verdicts are read: pinned host memory that the device reads and
 * writes without a detour, as much memory on the device, and a stream. Made when the device is
 * opened, since pinning memory costs more than a batch.
 *
 * <p>It belongs to one batch at a time, from {@link StagingPool#take} to {@link StagingPool#give}.
 */
public final class StagingBuffer {
    private final int number;
    private final GpuDriver.Pinned headers;
    private final GpuDriver.Pinned verdicts;
    private final long deviceHeaders;
    private final long deviceVerdicts;
    private final GpuDriver.Stream stream;
    private final GpuDriver.Event done;

    /**
     * Takes the memory of a buffer.
     *
     * @throws GpuException if there is too little, or the device fails; nothing is taken then
     */
    StagingBuffer(GpuDriver.Device device, int number, int words, int headerCount) {
        this.number = number;
        Deque<Runnable> undo = new ArrayDeque<>();
        try {
            GpuDriver.Pinned pinnedHeaders = device.allocatePinned(words);
            undo.push(() -> device.freePinned(pinnedHeaders));
            GpuDriver.Pinned pinnedVerdicts = device.allocatePinned(headerCount);
            undo.push(() -> device.freePinned(pinnedVerdicts));
            long addressOfHeaders = device.allocate(4L * words);
            undo.push(() -> device.free(addressOfHeaders));
            headers = pinnedHeaders;
            verdicts = pinnedVerdicts;
            deviceHeaders = addressOfHeaders;
            deviceVerdicts = device.allocate(4L * headerCount);
            stream = device.stream();
            done = device.event();
        } catch (GpuException e) {
            for (Runnable step : undo) {
                try {
                    step.run();
                } catch (GpuException alsoFailed) {
                    e.addSuppressed(alsoFailed); // the device is lost, and its memory with it
                }
            }
            throw e;
        }
    }

    /** Its number in the pool, from 0. */
    public int number() {
        return number;
    }

    /** Headers on the host: word w of header i at w * stride + i, for a stride of one's choice. */
    public GpuDriver.Pinned headers() {
        return headers;
    }

    /** Verdicts on the host, a word each. */
    public GpuDriver.Pinned verdicts() {
        return verdicts;
    }

    /** Address of the headers on the device. */
    public long deviceHeaders() {
        return deviceHeaders;
    }

    /** Address of the verdicts on the device. */
    public long deviceVerdicts() {
        return deviceVerdicts;
    }

    /** Its own stream. */
    public GpuDriver.Stream stream() {
        return stream;
    }

    /** An event to put behind a launch that went to another buffer's stream. */
    public GpuDriver.Event done() {
        return done;
    }

    void close(GpuDriver.Device device) {
        device.destroyEvent(done);
        device.destroyStream(stream);
        device.free(deviceVerdicts);
        device.free(deviceHeaders);
        device.freePinned(verdicts);
        device.freePinned(headers);
    }
}
