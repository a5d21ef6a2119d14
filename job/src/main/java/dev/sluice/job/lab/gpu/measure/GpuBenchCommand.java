package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.sets.DeviceOption;
import dev.sluice.job.lab.sets.TestSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gpu bench}. */
@Command(
        name = "bench",
        description = {
            "Measures kernels on headers in the device's memory and compares every verdict "
                    + "with the CPU's.",
            "Prints a line of JSON a measurement.",
            ""
        })
public final class GpuBenchCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

    @Mixin private SetOptions sets = new SetOptions();

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "pairs,rfc,merged-tuple,forest",
            description =
                    "Algorithms, separated by commas; auto: what it chooses on the device (default ${DEFAULT-VALUE}).")
    private List<String> algorithms = new ArrayList<>();

    @Option(
            names = "--kernel",
            paramLabel = "NAME",
            split = ",",
            description = "Kernels to run instead of the algorithm's own, separated by commas.")
    private List<String> kernels = new ArrayList<>();

    @Option(
            names = "--headers",
            paramLabel = "N",
            split = ",",
            defaultValue = "4194304,65536",
            description = "Headers a launch, sizes separated by commas (default ${DEFAULT-VALUE}).")
    private int[] headers = {};

    @Option(
            names = "--memory-budget-mib",
            paramLabel = "SIZE",
            converter = Sizes.Mebibytes.class,
            defaultValue = "1g",
            description =
                    "Most memory of an image (default ${DEFAULT-VALUE}; a bare number is in m).")
    private long budget;

    @Option(
            names = "--at-once",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Launches under way at once (default ${DEFAULT-VALUE}: each alone, its time"
                            + " taken by events; else that of all of them by the clock).")
    private int atOnce;

    @Option(
            names = "--in-turn",
            description =
                    "Time "
                            + DeviceBench.IN_TURN
                            + " launches of one stream, queued behind others, so that the host's"
                            + " time for handing a launch over is not in it.")
    private boolean inTurn;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "15",
            description = "Runs (default ${DEFAULT-VALUE}).")
    private int runs;

    @Mixin
    @SuppressWarnings("UnusedVariable") // the lines are JSON anyway
    private JsonLinesOption json = new JsonLinesOption();

    /** Launches of each stream, at least, where several are under way at once. */
    private static final int ROUNDS = 8;

    @Override
    public Integer call() {
        device.check();
        sets.check();
        for (int size : headers) {
            UsageException.requireAtLeast("--headers", size, 1);
        }
        UsageException.requireAtLeast("--at-once", atOnce, 1);
        UsageException.requireRange("--runs", runs, 1, 1000);
        if (inTurn && atOnce > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--in-turn and --at-once exclude each other: launches of one stream follow one"
                            + " another");
        }
        List<TestSet> read = sets.read();
        RuleSet rules = read.get(0).rules();
        int most = Arrays.stream(headers).max().orElse(1 << 22);
        if (atOnce > 1) { // several rounds of the smallest launches
            int fewest = Arrays.stream(headers).min().orElse(most);
            most = (int) Math.max(most, Math.min(1 << 25, (long) ROUNDS * atOnce * fewest));
        }
        boolean right = true;
        try (GpuDevice on =
                new GpuDevice(GpuPool.shared().driver(), device.number(), 1, 65_536, 19)) {
            List<BuiltRules> all = build(rules);
            for (TestSet set : read) {
                try (DeviceBench bench = new DeviceBench(on, set.trace(), rules.layout(), most)) {
                    right &= measure(on, bench, set, all);
                }
            }
        }
        return right ? 0 : 1;
    }

    /** Compiles for all algorithms; those that refuse the rules say so and are left out. */
    private List<BuiltRules> build(RuleSet rules) {
        List<BuiltRules> all = new ArrayList<>();
        for (String label : algorithms) {
            EngineOptions options =
                    EngineOptions.DEFAULTS
                            .withAlgorithm(AlgorithmChoice.parse(label))
                            .withBudget(budget);
            try {
                all.add(BuiltRules.of(rules, chosen(rules, options)));
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                spec.commandLine().getErr().println(e.getMessage());
            }
        }
        return all;
    }

    /** With what auto chooses on the device in its place. */
    private EngineOptions chosen(RuleSet rules, EngineOptions options) {
        if (options.algorithm().algorithm().isPresent()) {
            return options;
        }
        AutoOnDevice auto = AutoOnDevice.choose(rules, options, device.number());
        spec.commandLine().getErr().println(auto.explanation());
        return options.withAlgorithm(auto.onDevice());
    }

    /** Measures all kernels on one trace; whether all verdicts are right. */
    private boolean measure(GpuDevice on, DeviceBench bench, TestSet set, List<BuiltRules> all) {
        boolean right = true;
        int @Nullable [] expected = null;
        for (BuiltRules built : all) {
            int[] positions = Answers.positions(built.classifier(), set.trace());
            if (expected != null && !Arrays.equals(expected, positions)) {
                throw new IllegalStateException("two algorithms disagree");
            }
            expected = positions;
            try (DeviceImage image = new DeviceImage(on.device(), built.image())) {
                for (String kernel :
                        kernels.isEmpty()
                                ? KernelCatalog.names(Algorithm.of(built.algorithm()))
                                : kernels) {
                    if (!image.isReadBy(kernel)) {
                        continue;
                    }
                    int[] asked = kernel.equals(KernelCatalog.TRIVIAL) ? new int[0] : positions;
                    for (int count : headers) {
                        DeviceBench.Result result =
                                measure(bench, image.kernel(kernel), asked, count);
                        right &= result.wrong() == 0;
                        print(set, built, kernel, count, result);
                    }
                }
            }
        }
        return right;
    }

    private DeviceBench.Result measure(
            DeviceBench bench, DeviceKernel kernel, int[] expected, int count) {
        if (inTurn) {
            return bench.runInTurn(kernel, expected, count, runs);
        }
        return atOnce == 1
                ? bench.run(kernel, expected, count, runs)
                : bench.runAtOnce(kernel, expected, count, runs, atOnce);
    }

    private void print(
            TestSet set, BuiltRules built, String kernel, int count, DeviceBench.Result result) {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("trace", set.name());
        node.put("ruleCount", set.rules().size());
        node.put("algorithm", built.algorithm());
        node.put("kernel", kernel);
        node.put("headersALaunch", count);
        node.put("launchesAtOnce", atOnce);
        node.put("inTurn", inTurn);
        node.put("mpps", Math.round(result.mpps()));
        node.put("mppsMin", Math.round(result.mppsMin()));
        node.put("mppsMax", Math.round(result.mppsMax()));
        node.put("buildSeconds", Math.round(built.seconds() * 1000) / 1000.0);
        node.put("imageBytes", built.image().bytes());
        node.put("wrong", result.wrong());
        spec.commandLine().getOut().println(node);
    }
}
