package dev.sluice.engine.bases;

import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import org.jspecify.annotations.Nullable;

/**
 * Settings by which bases are compiled and served.
 *
 * @param compile options of each compile
 * @param device serves the rules beside the CPU; null for none
 * @param offload how batches go to the device, as far as it is not measured
 * @param flowCacheEntries verdicts that each thread remembers in front of the CPU's look-up; 0 for
 *     none, {@link dev.sluice.engine.lookup.FlowCache#AUTO_ENTRIES} for what its traffic makes
 *     worth it
 */
public record Serving(
        CompileOptions compile,
        GpuPool.@Nullable Use device,
        OffloadPreference offload,
        int flowCacheEntries) {
    /** Bytes that images may take, and that what changes may grow to. */
    public long budgetBytes() {
        return compile.budgetBytes();
    }
}
