package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.BatchLauncher;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.LaunchCoalescer;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Way of a classifier's batches to its device and back: launches, waiting for verdicts, counts, and
 * the CPU's answer where the device is busy or fails. Thread-safe.
 */
final class OffloadPath {
    final DeviceImage image;
    final String kernel;
    final Health health;
    final StagingPool staging;
    final CpuHelp help = new CpuHelp();
    final BatchLauncher launcher;
    final LaunchCoalescer coalescer;

    /** Batches of fewer headers go to the CPU. */
    volatile int smallest = 1;

    volatile OffloadFigures figures = new OffloadFigures();

    OffloadPath(GpuDevice device, DeviceImage image, String kernel, LongSupplier nanoTime) {
        this.image = image;
        this.kernel = kernel;
        this.health = new Health(device, nanoTime);
        this.launcher = device.launcher();
        this.staging = device.memory().staging();
        this.coalescer = device.coalescer(image);
    }

    /** Size of a header in words. */
    int headerWords() {
        return image.image().layout().size();
    }

    /** Headers that a staging buffer takes at most. */
    int mostHeaders() {
        return staging.headers(headerWords());
    }

    /** The CPU takes a batch. */
    PendingVerdicts onCpu(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        figures.wentToCpu(batch.size());
        version.classify(batch, verdicts);
        return PendingVerdicts.READY;
    }

    /** The CPU takes a batch of a busy device. */
    PendingVerdicts helped(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        long began = health.now();
        onCpu(version, batch, verdicts);
        long now = health.now();
        help.cpuTook(batch.size(), now - began, now);
        return PendingVerdicts.READY;
    }

    /** A batch failed on the device: the CPU answers. */
    PendingVerdicts again(
            GpuException e, VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        failed(e, batch.size());
        version.classify(batch, verdicts);
        return PendingVerdicts.READY;
    }

    /** A batch failed on the device, and the CPU classifies it again. */
    void failed(GpuException e, int count) {
        figures.failed(count);
        health.failed(e);
    }

    /** The device classified a batch. */
    void classified(int count) {
        figures.classified(count);
        health.worked();
    }

    /** A batch that was launched at a time has its verdicts. */
    void took(long began) {
        figures.lastMicros = (health.now() - began) / 1000;
    }

    /** Launches the headers that are in a staging buffer. */
    void launch(
            StagingBuffer buffer, OffloadMode mode, @Nullable Changes changed, int stride, int n) {
        launcher.launch(buffer, image, kernel, mode, changed, headerWords(), stride, n);
    }

    /**
     * Launches a batch. One that is larger than a staging buffer goes in parts: all but the last
     * are waited for here, the last is under way when this returns.
     *
     * @param buffer for the parts, one after the other
     * @return first header of the last part
     */
    int launch(
            StagingBuffer buffer,
            OffloadMode mode,
            @Nullable Changes changed,
            HeaderBatch batch,
            VerdictBatch verdicts) {
        int most = mostHeaders();
        int from = 0;
        for (; batch.size() - from > most; from += most) {
            launcher.launch(buffer, image, kernel, mode, changed, batch, from, most);
            launcher.read(buffer, verdicts, from, most);
        }
        int count = batch.size() - from;
        launcher.launch(buffer, image, kernel, mode, changed, batch, from, count);
        return from;
    }

    /** Puts a batch into a launch that it shares with others. */
    void share(LaunchCoalescer.Place place, HeaderBatch batch, OffloadMode mode, boolean helped) {
        coalescer.add(place, batch, kernel, mode, mostHeaders(), helped);
    }
}
