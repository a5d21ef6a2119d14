package dev.sluice.engine.choice;

import dev.sluice.engine.gpu.DeviceTrial;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;

/**
 * Rates of kernels on a device, over headers that lie there and stay until this is closed. Not
 * thread-safe.
 */
final class DeviceRates implements RateMeter, AutoCloseable {
    private final GpuPool.Use device;
    private final IdentityHashMap<RuleSet, DeviceTrial> trials = new IdentityHashMap<>();

    DeviceRates(GpuPool.Use device) {
        this.device = device;
    }

    @Override
    public double[] rates(RuleSet rules, List<Classifier> classifiers) {
        DeviceTrial trial = trials.computeIfAbsent(rules, device::trial);
        return classifiers.stream().mapToDouble(c -> trial.rate(c.image())).toArray();
    }

    /** G headers a second: a device looks up thousands of millions. */
    @Override
    public String text(double rate) {
        return String.format(Locale.ROOT, "%.2f", rate / 1e3);
    }

    @Override
    public void close() {
        trials.values().forEach(DeviceTrial::close);
    }
}
