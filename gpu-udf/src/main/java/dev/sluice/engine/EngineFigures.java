package dev.sluice.engine;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.OffloadFigures;
import dev.sluice.engine.lookup.CacheCounts;
import org.jspecify.annotations.Nullable;

/**
 * Figures that an engine counts, at one moment. All but the last three are 0 where no device serves
 * the rules.
 *
 * @param deviceBatches batches that the device classified
 * @param deviceHeaders headers that the device classified
 * @param cpuBatches batches that went to the CPU at once: small ones, and those while the device
 *     rests
 * @param cpuHeaders headers that the CPU classified in the device's place: those of {@code
 *     cpuBatches}, and of {@code fallBacks}
 * @param fallBacks batches that failed on the device and were classified again on the CPU
 * @param resting whether the device fails and rests
 * @param flightMicros µs from the start of the last batch to its verdicts
 * @param batchesUnderWay batches that the device has, of all engines that share it
 * @param deviceImageBytes bytes of the images on the device, of all engines that share it
 * @param ownImage whether the device looks into an image of another algorithm than the CPU
 * @param flowCacheHitRate share of the CPU's headers that the flow cache answered, 0 without one
 * @param flowCachesTurnedOn how often a thread's flow cache came into use by itself
 * @param flowCachesTurnedOff how often one was left by itself
 */
public record EngineFigures(
        long deviceBatches,
        long deviceHeaders,
        long cpuBatches,
        long cpuHeaders,
        long fallBacks,
        boolean resting,
        long flightMicros,
        long batchesUnderWay,
        long deviceImageBytes,
        boolean ownImage,
        double flowCacheHitRate,
        long flowCachesTurnedOn,
        long flowCachesTurnedOff) {
    /** Figures of an engine that has looked nothing up. */
    public static final EngineFigures NONE =
            new EngineFigures(0, 0, 0, 0, 0, false, 0, 0, 0, false, 0, 0, 0);

    static EngineFigures of(@Nullable GpuClassifier gpu, @Nullable CacheCounts cache) {
        double hitRate = cache == null ? 0 : cache.hitRate();
        long on = cache == null ? 0 : cache.turnedOn();
        long off = cache == null ? 0 : cache.turnedOff();
        if (gpu == null) {
            return new EngineFigures(0, 0, 0, 0, 0, false, 0, 0, 0, false, hitRate, on, off);
        }
        OffloadFigures counts = gpu.figures();
        return new EngineFigures(
                counts.batches.sum(),
                counts.headers.sum(),
                counts.cpuBatches.sum(),
                counts.cpuHeaders.sum(),
                counts.fallBacks.sum(),
                gpu.resting(),
                counts.lastMicros,
                gpu.device().memory().staging().busy(),
                gpu.device().memory().imageBytes(),
                gpu.deviceImage().algorithm() != gpu.image().algorithm(),
                hitRate,
                on,
                off);
    }
}
