package dev.sluice.engine;

import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.FlowCache;
import java.io.Serializable;
import java.util.List;

/**
 * Options of an engine. Immutable, thread-safe; it travels to where a job runs.
 *
 * @param compile algorithm and budget, and the expected rate of rule changes
 * @param gpu devices that may classify
 * @param offload how batches go to a device, as far as it is not measured
 * @param flowCacheEntries verdicts that each thread remembers in front of the CPU's look-up; 0:
 *     none; {@link #FLOW_CACHE_AUTO}: as many as its traffic makes worth it
 */
public record EngineOptions(
        CompileOptions compile,
        GpuPool.Selection gpu,
        OffloadPreference offload,
        int flowCacheEntries)
        implements Serializable {
    /** A flow cache comes into use where it saves time, and is left where it does not. */
    public static final int FLOW_CACHE_AUTO = FlowCache.AUTO_ENTRIES;

    /**
     * The engine chooses an algorithm within 1 GiB, devices that are there may classify, and how
     * batches go to them is measured.
     */
    public static final EngineOptions DEFAULTS =
            new EngineOptions(
                    CompileOptions.DEFAULTS,
                    GpuPool.Selection.AUTO,
                    OffloadPreference.AUTO,
                    FLOW_CACHE_AUTO);

    /** Checks the flow cache's entries. */
    public EngineOptions {
        if (flowCacheEntries < FLOW_CACHE_AUTO || flowCacheEntries > FlowCache.MOST_ENTRIES) {
            throw new IllegalArgumentException(
                    flowCacheEntries
                            + " entries of a flow cache are not in 0.."
                            + FlowCache.MOST_ENTRIES);
        }
    }

    /** The defaults with an algorithm. */
    public static EngineOptions of(Algorithm algorithm) {
        return DEFAULTS.withAlgorithm(algorithm);
    }

    /** The algorithm, or that the engine chooses. */
    public AlgorithmChoice algorithm() {
        return compile.algorithm();
    }

    /** Largest image; where a device has one of its own, of both together. */
    public long budgetBytes() {
        return compile.budgetBytes();
    }

    /** Values of the algorithms' own options. */
    public AlgorithmOptions tuning() {
        return compile.tuning();
    }

    private EngineOptions with(CompileOptions other) {
        return new EngineOptions(other, gpu, offload, flowCacheEntries);
    }

    /** These options with another choice of algorithm. */
    public EngineOptions withAlgorithm(AlgorithmChoice choice) {
        return with(compile.withAlgorithm(choice));
    }

    /** These options with an algorithm. */
    public EngineOptions withAlgorithm(Algorithm other) {
        return withAlgorithm(other.choice());
    }

    /** These options with another budget. */
    public EngineOptions withBudget(long bytes) {
        return with(compile.withBudget(bytes));
    }

    /** These options with another rate of rule changes. */
    public EngineOptions withUpdateRate(double perSecond) {
        return with(compile.withUpdateRate(perSecond));
    }

    /** These options with other values of the algorithms' own. */
    public EngineOptions withTuning(AlgorithmOptions values) {
        return with(compile.withTuning(values));
    }

    /** These options with another value of an algorithm's own option. */
    public <T> EngineOptions with(AlgorithmOption<T> option, T value) {
        return withTuning(tuning().with(option, value));
    }

    /** These options with other devices. */
    public EngineOptions withGpu(GpuPool.Selection selection) {
        return new EngineOptions(compile, selection, offload, flowCacheEntries);
    }

    /**
     * Returns whether these say which devices may classify, or none, whatever the surroundings
     * give.
     */
    public boolean decidesDevices() {
        return gpu.off() || !gpu.ids().isEmpty();
    }

    /**
     * These options with the devices that the surroundings gave, as Flink does by its external
     * resources. They are the same where these say off or name devices, or none was given.
     */
    public EngineOptions withGpusGiven(List<Integer> devices) {
        return decidesDevices() || devices.isEmpty()
                ? this
                : withGpu(new GpuPool.Selection(false, List.copyOf(devices)));
    }

    /** These options with another choice of how batches go to a device. */
    public EngineOptions withOffload(OffloadPreference preference) {
        return new EngineOptions(compile, gpu, preference, flowCacheEntries);
    }

    /**
     * These options with a flow cache of so many entries a thread, none for 0, or {@link
     * #FLOW_CACHE_AUTO}.
     */
    public EngineOptions withFlowCache(int entries) {
        return new EngineOptions(compile, gpu, offload, entries);
    }
}
