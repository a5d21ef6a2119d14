package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.lookup.LaunchShape;
import org.jspecify.annotations.Nullable;

/**
 * The kernel that looks up what changed, prepared for a staging buffer: it reads the verdicts that
 * the image's kernel left on the device, and writes those of the version. Used by who has the
 * buffer.
 */
final class ChangesLaunch {
    private final int[] parameters = new int[ChangesLayout.WORDS];

    /** Copy that the launch was prepared for. */
    private DeviceChanges.@Nullable Copy copy;

    private int headerWords;
    private boolean copied;
    private GpuDriver.Launch launch = (stride, count, on) -> {};

    /**
     * Queues the kernel behind the words that it needs.
     *
     * @param copies whether headers and verdicts travel by copies; else both are read and written
     *     in the buffer's pinned memory
     */
    void run(
            GpuDriver.Device device,
            Changes changes,
            StagingBuffer buffer,
            boolean copies,
            int stride,
            int count,
            GpuDriver.Stream stream) {
        prepare(device, changes, buffer, copies);
        parameters[ChangesLayout.TICK] = changes.tick;
        parameters[ChangesLayout.DIRECTORY] = changes.directory;
        device.follow(stream, changes.copy().arrived());
        launch.run(stride, count, stream);
    }

    private void prepare(
            GpuDriver.Device device, Changes changes, StagingBuffer buffer, boolean copies) {
        DeviceChanges.Copy there = changes.copy();
        DeviceChanges.Copy known = copy;
        if (known != null
                && known.liesWith(there)
                && copied == copies
                && headerWords == changes.layout.size()
                && parameters[ChangesLayout.BASE_RULES] == changes.baseRules) {
            return;
        }
        long verdicts = copies ? buffer.deviceVerdicts() : buffer.verdicts().deviceAddress();
        address(ChangesLayout.INSERTED, there.inserted());
        address(ChangesLayout.REMOVED, there.removed());
        address(ChangesLayout.VERDICTS, verdicts);
        parameters[ChangesLayout.HEADER_WORDS] = changes.layout.size();
        parameters[ChangesLayout.BASE_RULES] = changes.baseRules;
        launch =
                device.prepare(
                        new GpuDriver.Call(
                                KernelCatalog.OVERLAY,
                                LaunchShape.staged(changes.layout),
                                there.all(),
                                copies ? buffer.deviceHeaders() : buffer.headers().deviceAddress(),
                                buffer.deviceVerdicts(),
                                parameters));
        copy = there;
        copied = copies;
        headerWords = changes.layout.size();
    }

    private void address(int at, long address) {
        parameters[at] = (int) address;
        parameters[at + 1] = (int) (address >>> 32);
    }
}
