package dev.sluice.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.sets.TestSet;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Measurement of look-ups on a device, as options say, beside a kernel that only moves the same
 * bytes.
 */
final class GpuBench {
    private static final int[] NOT_COMPARED = {};

    /** Most memory of an image. */
    private static final long BUDGET = 1L << 30;

    /** The ways of a header to its verdict. */
    enum Way {
        /** In device memory, one launch alone. */
        DEVICE,
        /** In device memory, launches of one stream behind one another. */
        IN_TURN
    }

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "auto",
            description =
                    "Algorithms, separated by commas; auto: what it chooses on the device (default ${DEFAULT-VALUE}).")
    private List<AlgorithmChoice> algorithms = new ArrayList<>();

    @Option(
            names = "--all-kernels",
            description =
                    "Measure every kernel that reads an algorithm's image, the papers' own among them.")
    private boolean allKernels;

    @Option(
            names = "--way",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "device,in-turn",
            description =
                    "device: one launch over headers in device memory; in-turn: launches queued behind one another (default ${DEFAULT-VALUE}).")
    private List<Way> ways = new ArrayList<>();

    @Option(
            names = "--headers",
            paramLabel = "N",
            split = ",",
            defaultValue = "4194304,65536",
            description =
                    "Headers a launch, sizes separated by commas; in-turn takes the smallest (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private List<Integer> headers = new ArrayList<>();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "15",
            description = "Runs (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1000)
    private int runs;

    /** Measures a rule set; returns whether every verdict was right. */
    boolean measure(TestSet set, int device, Consumer<ObjectNode> tell, PrintWriter err) {
        boolean right = true;
        int most = Collections.max(headers);
        // Buffers that nothing measures change where memory lies, and rates with it.
        try (GpuDevice on =
                new GpuDevice(
                        GpuPool.shared().driver(),
                        device,
                        1,
                        1,
                        Math.max(1, set.rules().layout().size()))) {
            int @Nullable [] expected = null;
            for (AlgorithmChoice algorithm : algorithms) {
                EngineOptions options =
                        EngineOptions.DEFAULTS.withAlgorithm(algorithm).withBudget(BUDGET);
                BuiltRules built;
                try {
                    built = BuiltRules.of(set.rules(), options, device);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    err.println(e.getMessage());
                    continue;
                }
                int[] positions = Answers.positions(built.classifier(), set.trace());
                if (expected != null && !Arrays.equals(expected, positions)) {
                    throw new IllegalStateException("two algorithms disagree on the CPU");
                }
                expected = positions;
                if (!KernelCatalog.reads(built.image())) {
                    err.println(built.algorithm() + ": no kernel reads its image");
                    continue;
                }
                try (DeviceBench bench =
                                new DeviceBench(on, set.trace(), set.rules().layout(), most);
                        MeasuredImage image = new MeasuredImage(on.device(), built.image())) {
                    right &= onDevice(set, built, bench, image, positions, tell);
                }
            }
        }
        return right;
    }

    private boolean onDevice(
            TestSet set,
            BuiltRules built,
            DeviceBench bench,
            MeasuredImage image,
            int[] expected,
            Consumer<ObjectNode> tell) {
        boolean right = true;
        double gathers = bench.gathers(image, runs);
        DeviceKernel trivial = image.kernel(KernelCatalog.TRIVIAL);
        for (DeviceKernel kernel : kernels(image, built)) {
            double sectors = bench.sectors(kernel);
            for (Way way : EnumSet.copyOf(ways)) {
                List<Integer> sizes =
                        way == Way.DEVICE ? headers : List.of(Collections.min(headers));
                for (int count : sizes) {
                    boolean inTurn = way == Way.IN_TURN;
                    String name = inTurn ? "device, in turn" : "device";
                    DeviceBench.Result floor =
                            bench.run(trivial, NOT_COMPARED, count, runs, inTurn);
                    DeviceBench.Result result = bench.run(kernel, expected, count, runs, inTurn);
                    ObjectNode point =
                            point(set, built, kernel.name(), name, count)
                                    .put("floorMpps", floor.mpps().median())
                                    .put("sectors", sectors)
                                    .put("gatherMps", gathers)
                                    .put("wrong", result.wrong());
                    result.mpps().describe(point, "mpps");
                    right &= result.wrong() == 0;
                    tell.accept(point);
                }
            }
        }
        return right;
    }

    /** The image's own kernel first. */
    private List<DeviceKernel> kernels(MeasuredImage image, BuiltRules built) {
        return KernelCatalog.names(Algorithm.of(built.algorithm())).stream()
                .filter(image::isReadBy)
                .limit(allKernels ? Long.MAX_VALUE : 1)
                .map(image::kernel)
                .toList();
    }

    private static ObjectNode point(
            TestSet set, BuiltRules built, String kernel, String way, int count) {
        ObjectNode point =
                JsonOption.object()
                        .put("name", set.name())
                        .put("rules", set.rules().size())
                        .put("algorithm", built.algorithm())
                        .put("kernel", kernel)
                        .put("way", way)
                        .put("headersALaunch", count)
                        .put("buildSeconds", built.seconds())
                        .put("imageBytes", built.image().bytes());
        return built.explanation().isEmpty()
                ? point
                : point.put("explanation", built.explanation());
    }
}
