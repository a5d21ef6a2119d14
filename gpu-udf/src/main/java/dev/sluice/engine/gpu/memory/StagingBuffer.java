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
 *
 * @param number its number in the pool, from 0
 * @param headers headers on the host: word w of header i at w * stride + i, for a stride of one's
 *     choice
 * @param verdicts verdicts on the host, a word each
 * @param deviceHeaders address of the headers on the device
 * @param deviceVerdicts address of the verdicts on the device
 * @param stream its own stream
 * @param done an event to put behind a launch that went to another buffer's stream
 */
public record StagingBuffer(
        int number,
        GpuDriver.Pinned headers,
        GpuDriver.Pinned verdicts,
        long deviceHeaders,
        long deviceVerdicts,
        GpuDriver.Stream stream,
        GpuDriver.Event done) {
    /**
     * Takes the memory of a buffer.
     *
     * @throws GpuException if there is too little, or the device fails; nothing is taken then
     */
    static StagingBuffer of(GpuDriver.Device device, int number, int words, int headerCount) {
        Deque<Runnable> undo = new ArrayDeque<>();
        try {
            GpuDriver.Pinned headers = device.allocatePinned(words);
            undo.push(() -> device.freePinned(headers));
            GpuDriver.Pinned verdicts = device.allocatePinned(headerCount);
            undo.push(() -> device.freePinned(verdicts));
            long deviceHeaders = device.allocate(4L * words);
            undo.push(() -> device.free(deviceHeaders));
            long deviceVerdicts = device.allocate(4L * headerCount);
            return new StagingBuffer(
                    number,
                    headers,
                    verdicts,
                    deviceHeaders,
                    deviceVerdicts,
                    device.stream(),
                    device.event());
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

    void close(GpuDriver.Device device) {
        device.destroyEvent(done);
        device.destroyStream(stream);
        device.free(deviceVerdicts);
        device.free(deviceHeaders);
        device.freePinned(verdicts);
        device.freePinned(headers);
    }
}
