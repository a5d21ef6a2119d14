package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleSet;
import java.util.List;

/**
 * What {@code auto} chooses for rules on a machine with a device.
 *
 * @param onCpu for the CPU
 * @param onDevice for the device; the CPU's where the device takes no rules
 * @param explanation why
 * @param seconds that compiling and choosing took
 */
record AutoOnDevice(Algorithm onCpu, Algorithm onDevice, String explanation, double seconds) {
    /** Opens an engine with the rules, which lets a device classify, and closes it. */
    static AutoOnDevice choose(RuleSet rules, EngineOptions options, int device) {
        try (Engine engine =
                Engine.open(
                        rules,
                        options.withGpu(new GpuPool.Selection(false, List.of(device)))
                                .withOffload(OffloadPreference.AUTO.decided()))) {
            RuleSetVersion version = engine.current();
            return new AutoOnDevice(
                    version.algorithm(),
                    version.deviceAlgorithm().orElse(version.algorithm()),
                    version.explanation(),
                    version.buildNanos() / 1e9);
        }
    }
}
