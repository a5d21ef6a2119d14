package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures rule sets from the device's memory, from the host's and on the CPU's cores; each point
 * goes into a {@link Measurement} and is told. Not thread-safe.
 */
final class PointMeter {
    /** Headers a launch: many, and as many as a large batch has. */
    static final int MANY = 1 << 22;

    static final int FEW = 1 << 16;

    private static final int[] ALONE = {MANY, FEW};
    private static final int[] SMALL = {FEW};
    private static final int[] NOT_COMPARED = {};
    private static final int RUNS = 15;

    /** Launches under way at once, beside one alone. */
    private static final int AT_ONCE = 8;

    /** How to launch a kernel on what lies in the device's memory. */
    private interface Launches {
        DeviceBench.Result run(DeviceKernel kernel, int[] expected, int count, int runs);
    }

    private final GpuDevice device;
    private final Measurement all;
    private final Consumer<Measurement.Point> told;

    /**
     * A meter.
     *
     * @param told takes each point as soon as it is measured
     */
    PointMeter(GpuDevice device, Measurement all, Consumer<Measurement.Point> told) {
        this.device = device;
        this.all = all;
        this.told = told;
    }

    /** Headers that lie in the device's memory: launched alone, in turn, and several at once. */
    void fromDevice(TestSet set, String algorithm) {
        BuiltRules built = BuiltRules.of(set.rules(), algorithm);
        try (DeviceBench bench = new DeviceBench(device, set.trace(), set.rules().layout(), MANY);
                DeviceImage image = new DeviceImage(device.device(), built.image())) {
            int[] positions = Answers.positions(built.classifier(), set.trace());
            double gathers = bench.gathers(image, RUNS);
            DeviceKernel trivial = image.kernel(KernelCatalog.TRIVIAL);
            for (DeviceKernel kernel : kernels(image, algorithm)) {
                double sectors = bench.sectors(kernel);
                Map<String, Launches> launchings = new LinkedHashMap<>();
                launchings.put("device", bench::run);
                launchings.put("device, in turn", bench::runInTurn);
                launchings.put(
                        "device, " + AT_ONCE + " at once",
                        (which, expected, count, runs) ->
                                bench.runAtOnce(which, expected, count, runs, AT_ONCE));
                launchings.forEach(
                        (way, launches) -> {
                            for (int count : way.equals("device") ? ALONE : SMALL) {
                                DeviceBench.Result floor =
                                        launches.run(trivial, NOT_COMPARED, count, RUNS);
                                DeviceBench.Result result =
                                        launches.run(kernel, positions, count, RUNS);
                                add(
                                        set,
                                        built,
                                        kernel.name(),
                                        way,
                                        count,
                                        result.mpps(),
                                        floor.mpps(),
                                        sectors,
                                        gathers,
                                        result.wrong());
                            }
                        });
            }
        }
    }

    /** The image's own kernel; where the algorithm was named, its other kernels, too. */
    private static List<DeviceKernel> kernels(DeviceImage image, String algorithm) {
        List<String> names = new ArrayList<>(List.of(KernelCatalog.of(image.image())));
        if (!algorithm.equals("auto")) {
            KernelCatalog.names(Algorithm.of(algorithm)).stream()
                    .filter(name -> !KernelCatalog.onHost(name) && image.isReadBy(name))
                    .forEach(names::add);
        }
        return names.stream().map(image::kernel).toList();
    }

    /**
     * Batches from the host's memory and back.
     *
     * @param depth batches under way at once
     */
    void fromHost(TestSet set, BuiltRules built, int size, OffloadMode mode, int depth) {
        HeaderBatch batch = DrawnHeaders.batch(set.trace(), set.rules().layout(), size);
        try (GpuClassifier gpu = new GpuClassifier(device, built.classifier());
                GpuClassifier trivial =
                        new GpuClassifier(device, built.classifier(), KernelCatalog.TRIVIAL)) {
            double floor = HostBench.rate(trivial, batch, mode.launched(), size, depth).mpps();
            double rate = HostBench.rate(gpu, batch, mode, size, depth).mpps();
            double micros = HostBench.roundTrip(gpu, batch, mode, size);
            String how =
                    String.format(
                            Locale.ROOT,
                            "host, %s, %s, %d at once, alone %.1f µs",
                            mode.launch().name().toLowerCase(Locale.ROOT),
                            mode.transfer().name().toLowerCase(Locale.ROOT),
                            depth,
                            micros);
            add(set, built, gpu.kernel(), how, size, rate, floor, 0, 0, 0);
        }
    }

    /** Cores of the CPU, every one with batches of its own. */
    void onCores(TestSet set, BuiltRules built, int threads) {
        double mpps = CoreBench.rate(built.classifier(), set.trace(), threads);
        add(set, built, "-", "cpu x " + threads, CoreBench.BATCH, mpps, 0, 0, 0, 0);
    }

    private void add(
            TestSet set,
            BuiltRules built,
            String kernel,
            String way,
            int count,
            double mpps,
            double floor,
            double sectors,
            double gathers,
            long wrong) {
        Measurement.Point point =
                new Measurement.Point(
                        set.name(),
                        set.rules().size(),
                        built.algorithm(),
                        kernel,
                        way,
                        count,
                        mpps,
                        floor,
                        sectors,
                        gathers,
                        built.seconds(),
                        built.image().bytes(),
                        wrong);
        all.add(point);
        told.accept(point);
    }
}
