package dev.sluice.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.generate.GeneratorOptions;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.kit.Results;
import dev.sluice.lab.sets.DeviceOption;
import dev.sluice.lab.sets.RecordFile;
import dev.sluice.lab.sets.SetOptions;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code gpu bench}. */
@Command(
        name = "bench",
        description = {
            "Measures look-ups on a GPU, each beside a kernel that only moves the same bytes, and compares every verdict with the CPU's.",
            "The rule sets are those of a folder, of files, or generated. Ends with 1 if a verdict is wrong.",
            ""
        })
public final class GpuBenchCommand extends SluiceCommand {
    private static final int[] NOT_COMPARED = {};

    /** Headers of a generated trace. */
    private static final int HEADERS = 200_000;

    /** Most memory of an image. */
    private static final long BUDGET = 1L << 30;

    /** The ways of a header to its verdict. */
    enum Way {
        /** In device memory, one launch alone. */
        DEVICE,
        /** In device memory, launches of one stream behind one another. */
        IN_TURN,
        /** From pinned host memory and back. */
        HOST
    }

    @Mixin private DeviceOption device = new DeviceOption();

    @Mixin private SetOptions sets = new SetOptions();

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "Generate rules instead, as 'rules generate' does: acl, fw, ipc, ipv6, classes, openflow, exact, routes, routes6, hostile, zones, groups, fewsources or blocklist.")
    private @Nullable RuleShape shape;

    @Mixin private GeneratorOptions generator = new GeneratorOptions(10_000, 512, 512, 0.1);

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
                    "device: one launch over headers in device memory; in-turn: launches queued behind one another; host: batches from host memory and back (default ${DEFAULT-VALUE}).")
    private List<Way> ways = new ArrayList<>();

    @Option(
            names = "--headers",
            paramLabel = "N",
            split = ",",
            defaultValue = "4194304,65536",
            description =
                    "Headers a launch, sizes separated by commas; all ways but device take the smallest (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private List<Integer> headers = new ArrayList<>();

    @Option(
            names = "--at-once",
            paramLabel = "N",
            defaultValue = "8",
            description = "host: batches under way at once (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 64)
    private int atOnce;

    @Option(
            names = "--hand-over",
            split = ":",
            paramLabel = "HOW",
            defaultValue = "asynchronous,copy:asynchronous,mapped",
            description =
                    "host: how batches go to the GPU, choices separated by colons (default ${DEFAULT-VALUE}).")
    private List<OffloadPreference> handOvers = new ArrayList<>();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "15",
            description = "Runs (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1000)
    private int runs;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "JSON file of the measurements, written after each; those of other runs stay there.")
    private @Nullable Path out;

    @Mixin private JsonOption json = new JsonOption();

    private @Nullable RecordFile file;
    private boolean right = true;

    @Override
    public Integer call() {
        Set<Way> asked = EnumSet.copyOf(ways);
        if (out != null) {
            file =
                    new RecordFile(
                            out,
                            List.of("name", "algorithm", "kernel", "way", "headersALaunch"),
                            "measurements");
        }
        for (Supplier<TestSet> set : sets()) {
            measure(set.get(), asked);
        }
        return right ? 0 : 1;
    }

    private List<Supplier<TestSet>> sets() {
        RuleShape made = shape;
        List<Supplier<TestSet>> all =
                made == null
                        ? sets.read()
                        : List.of(
                                () ->
                                        TestSet.generate(
                                                generator.generator(made, 1),
                                                HEADERS,
                                                generator.misses()));
        if (all.isEmpty()) {
            throw new ParameterException(
                    spec().commandLine(), "name --rules and --trace, --folder or --shape");
        }
        return all;
    }

    /** Launches of the ways that have one size. */
    private int smallest() {
        return Collections.min(headers);
    }

    private void measure(TestSet set, Set<Way> asked) {
        int most = Collections.max(headers);
        try (GpuDevice on =
                new GpuDevice(
                        GpuPool.shared().driver(),
                        device.number(),
                        atOnce,
                        smallest(),
                        Math.max(1, set.rules().layout().size()))) {
            int @Nullable [] expected = null;
            for (AlgorithmChoice algorithm : algorithms) {
                EngineOptions options =
                        EngineOptions.DEFAULTS.withAlgorithm(algorithm).withBudget(BUDGET);
                BuiltRules built;
                try {
                    built = BuiltRules.of(set.rules(), options, device.number());
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    err().println(e.getMessage());
                    continue;
                }
                int[] positions = Answers.positions(built.classifier(), set.trace());
                if (expected != null && !Arrays.equals(expected, positions)) {
                    throw new IllegalStateException("two algorithms disagree on the CPU");
                }
                expected = positions;
                if (!KernelCatalog.reads(built.image())) {
                    spec().commandLine()
                            .getErr()
                            .println(built.algorithm() + ": no kernel reads its image");
                    continue;
                }
                try (DeviceBench bench =
                                new DeviceBench(on, set.trace(), set.rules().layout(), most);
                        DeviceImage image = new DeviceImage(on.device(), built.image())) {
                    onDevice(set, built, bench, image, positions, asked);
                }
                if (asked.contains(Way.HOST)) {
                    fromHost(set, built, on);
                }
            }
        }
    }

    private void onDevice(
            TestSet set,
            BuiltRules built,
            DeviceBench bench,
            DeviceImage image,
            int[] expected,
            Set<Way> asked) {
        double gathers = bench.gathers(image, runs);
        DeviceKernel trivial = image.kernel(KernelCatalog.TRIVIAL);
        for (DeviceKernel kernel : kernels(image, built)) {
            double sectors = bench.sectors(kernel);
            for (Way way : asked) {
                List<Integer> sizes = way == Way.DEVICE ? headers : List.of(smallest());
                for (int count : way == Way.HOST ? List.<Integer>of() : sizes) {
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
                    tell(point);
                }
            }
        }
    }

    /** The image's own kernel first. */
    private List<DeviceKernel> kernels(DeviceImage image, BuiltRules built) {
        return KernelCatalog.names(Algorithm.of(built.algorithm())).stream()
                .filter(image::isReadBy)
                .limit(allKernels ? Long.MAX_VALUE : 1)
                .map(image::kernel)
                .toList();
    }

    /** The kernel that moves the bytes has no form that stays: it is launched instead. */
    private void fromHost(TestSet set, BuiltRules built, GpuDevice on) {
        HeaderBatch batch = HostBench.drawn(set.trace(), set.rules().layout(), smallest());
        try (GpuClassifier gpu = new GpuClassifier(on, built.classifier());
                GpuClassifier trivial =
                        new GpuClassifier(on, built.classifier(), KernelCatalog.TRIVIAL)) {
            for (OffloadPreference how : handOvers) {
                OffloadMode mode = how.orElse(OffloadMode.PLAIN);
                HostBench.Result floor = HostBench.rate(trivial, batch, mode.launched(), atOnce);
                HostBench.Result rate = HostBench.rate(gpu, batch, mode, atOnce);
                String way = "host, %s, %d at once".formatted(mode.describe(), atOnce);
                tell(
                        point(set, built, gpu.kernel(), way, batch.size())
                                .put("mpps", rate.mpps())
                                .put("floorMpps", floor.mpps())
                                .put("hostNanos", rate.cpuNanos())
                                .put("aloneMicros", HostBench.roundTrip(gpu, batch, mode))
                                .put(
                                        "floorAloneMicros",
                                        HostBench.roundTrip(trivial, batch, mode.launched())));
            }
        }
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

    private void tell(ObjectNode point) {
        if (file != null) {
            file.put(point);
        }
        Results.tell(out(), json, point);
    }
}
