package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures a policy on a device: each algorithm's kernel over headers that lie there, and which of
 * them {@code auto} chooses. Every verdict is compared with the first algorithm's on the CPU, and
 * those with linear search on as many headers as its time allows. Thread-safe: policies are
 * compiled side by side, and measured one at a time.
 *
 * @param algorithms beside those that auto chooses
 * @param launch headers a launch, a multiple of 32
 */
record PolicyBench(
        GpuDevice on, EngineOptions options, List<Algorithm> algorithms, int launch, int runs) {
    /**
     * What was measured.
     *
     * @param rates of each algorithm, the best first
     * @param refusals why others did not take part
     * @param answered headers whose answers linear search gave
     * @param wrong answers that differ
     */
    record Result(
            AutoOnDevice auto,
            Map<Algorithm, Rate> rates,
            List<String> refusals,
            int answered,
            long wrong) {
        /** The algorithm of the highest rate. */
        Algorithm best() {
            return rates.keySet().iterator().next();
        }

        /** The rate of an algorithm, of one that was not measured 0. */
        Rate rate(Algorithm algorithm) {
            return rates.getOrDefault(algorithm, Rate.NONE);
        }
    }

    /**
     * An algorithm's kernel.
     *
     * @param mpps M headers a second, median of the runs
     */
    record Rate(double mpps, double buildSeconds, long imageBytes) {
        static final Rate NONE = new Rate(0, 0, 0);
    }

    Result measure(GeneratedSet set) {
        AutoOnDevice auto = AutoOnDevice.choose(set.rules(), options, on.number());
        Set<Algorithm> asked = new LinkedHashSet<>();
        asked.add(auto.onDevice());
        asked.addAll(algorithms);
        List<BuiltRules> built = new ArrayList<>();
        List<String> refusals = new ArrayList<>();
        for (Algorithm algorithm : asked) {
            try {
                built.add(BuiltRules.of(set.rules(), options.withAlgorithm(algorithm)));
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                refusals.add(algorithm.label() + ": " + e.getMessage());
            }
        }
        int[] expected = Answers.positions(built.get(0).classifier(), set.trace());
        int[] sample = set.linearSample();
        long wrong = differing(set, sample, expected);
        Map<Algorithm, Rate> rates = new LinkedHashMap<>();
        synchronized (on) {
            try (DeviceBench bench =
                    new DeviceBench(on, set.trace(), set.rules().layout(), launch)) {
                for (BuiltRules each : built) {
                    wrong += measure(bench, each, expected, rates);
                }
            }
        }
        Map<Algorithm, Rate> best = new LinkedHashMap<>();
        rates.entrySet().stream()
                .sorted((a, b) -> Double.compare(b.getValue().mpps, a.getValue().mpps))
                .forEach(e -> best.put(e.getKey(), e.getValue()));
        return new Result(auto, best, refusals, sample.length, wrong);
    }

    private long measure(
            DeviceBench bench, BuiltRules built, int[] expected, Map<Algorithm, Rate> rates) {
        if (!KernelCatalog.reads(built.image())) {
            return 0;
        }
        try (DeviceImage image = new DeviceImage(on.device(), built.image())) {
            DeviceKernel kernel = image.kernel(KernelCatalog.of(built.image()));
            DeviceBench.Result result = bench.run(kernel, expected, launch, runs);
            rates.put(
                    Algorithm.of(built.algorithm()),
                    new Rate(result.mpps(), built.seconds(), built.image().bytes()));
            return result.wrong();
        }
    }

    private static long differing(GeneratedSet set, int[] sample, int[] expected) {
        List<int[]> headers = new ArrayList<>();
        for (int i : sample) {
            headers.add(set.trace().header(i));
        }
        EngineOptions linear = EngineOptions.of(Algorithm.of("linear"));
        int[] right =
                Answers.positions(Engine.compile(set.rules(), linear), HeaderTrace.of(headers));
        long wrong = 0;
        for (int i = 0; i < sample.length; i++) {
            wrong += right[i] == expected[sample[i]] ? 0 : 1;
        }
        return wrong;
    }
}
