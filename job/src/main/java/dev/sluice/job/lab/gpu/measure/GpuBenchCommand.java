package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Compiler;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gpu bench}. */
@Command(
        name = "bench",
        description = {
            "Measures kernels on headers in the device's memory and compares every verdict with the",
            "CPU's. Prints a line of JSON a measurement.",
            ""
        })
public final class GpuBenchCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
    private int device;

    @Option(names = "--rules", paramLabel = "FILE", description = "Rule file.")
    private @Nullable Path rules;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            split = ",",
            description = "Header traces for it.")
    private List<Path> traces = new ArrayList<>();

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "Generate rules instead, as 'rules generate' does: acl, fw, ipc, ipv6, classes, openflow, routes, routes6 or hostile.")
    private @Nullable String shape;

    @Option(names = "--count", defaultValue = "10000", description = "Generated rules.")
    private int count;

    @Option(names = "--masks", defaultValue = "512", description = "classes: masks.")
    private int masks;

    @Option(names = "--full-masks", defaultValue = "512", description = "classes: full masks.")
    private int fullMasks;

    @Option(
            names = "--matching-masks",
            defaultValue = "1",
            description = "classes: masks of which one header matches a rule.")
    private int matchingMasks;

    @Option(names = "--fields", defaultValue = "5", description = "classes: 5 or 12.")
    private int fields;

    @Option(names = "--wild-ratio", defaultValue = "0.5", description = "openflow: wild share.")
    private double wildRatio;

    @Option(
            names = "--misses",
            defaultValue = "0.1",
            description = "Share of generated headers that are random or near misses.")
    private double misses;

    @Option(
            names = "--algorithm",
            split = ",",
            defaultValue = "pairs,rfc,merged-tuple,forest",
            description = "Algorithms (default ${DEFAULT-VALUE}).")
    private List<String> algorithms = new ArrayList<>();

    @Option(
            names = "--kernel",
            split = ",",
            description = "Kernels to run instead of the algorithm's own.")
    private List<String> kernels = new ArrayList<>();

    @Option(
            names = "--headers",
            split = ",",
            defaultValue = "4194304,65536",
            description = "Headers a launch (default ${DEFAULT-VALUE}).")
    private int[] headers = {};

    @Option(
            names = "--memory-budget-mib",
            defaultValue = "1024",
            description = "Most MiB of an image (default ${DEFAULT-VALUE}).")
    private long budget;

    @Option(
            names = "--at-once",
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

    @Option(names = "--runs", defaultValue = "15", description = "Runs (default 15).")
    private int runs;

    /** Launches of each stream, at least, where several are under way at once. */
    private static final int ROUNDS = 8;

    @Override
    public Integer call() {
        if (atOnce < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--at-once takes 1 or more launches, not " + atOnce);
        }
        if (inTurn && atOnce > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--in-turn and --at-once exclude each other: launches of one stream follow one"
                            + " another");
        }
        List<TestSet> sets = sets();
        RuleSet set = sets.get(0).rules();
        int most = Arrays.stream(headers).max().orElse(1 << 22);
        if (atOnce > 1) { // several rounds of the smallest launches
            int fewest = Arrays.stream(headers).min().orElse(most);
            most = (int) Math.max(most, Math.min(1 << 25, (long) ROUNDS * atOnce * fewest));
        }
        boolean right = true;
        try (GpuDevice on = new GpuDevice(JCudaGpuDriver.get(), device, 1, 65_536, 19)) {
            GpuDriver.Device gpu = on.device();
            List<Classifier> classifiers = new ArrayList<>();
            List<Double> seconds = new ArrayList<>();
            for (String label : algorithms) {
                long start = System.nanoTime();
                try {
                    classifiers.add(
                            new Compiler(
                                            EngineOptions.of(Algorithm.of(label))
                                                    .withBudget(budget << 20))
                                    .compile(set));
                    seconds.add((System.nanoTime() - start) / 1e9);
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    spec.commandLine().getErr().println(e.getMessage());
                }
            }
            for (TestSet of : sets) {
                HeaderTrace trace = of.trace();
                try (DeviceBench bench = new DeviceBench(on, trace, set.layout(), most)) {
                    int @Nullable [] expected = null;
                    for (int c = 0; c < classifiers.size(); c++) {
                        Classifier classifier = classifiers.get(c);
                        int[] positions = Answers.positions(classifier, trace);
                        if (expected != null && !Arrays.equals(expected, positions)) {
                            throw new IllegalStateException("two algorithms disagree");
                        }
                        expected = positions;
                        long address = gpu.allocate(classifier.image().bytes());
                        int[] words = classifier.image().words();
                        gpu.upload(address, words, 0, words.length);
                        Algorithm algorithm = Algorithm.ofCode(classifier.image().algorithm());
                        List<String> names =
                                kernels.isEmpty() ? KernelCatalog.names(algorithm) : kernels;
                        for (String kernel : names) {
                            if (KernelCatalog.parameters(kernel, classifier.image()) == null) {
                                continue;
                            }
                            for (int count : headers) {
                                int[] asked = kernel.equals("trivial") ? new int[0] : positions;
                                Image image = classifier.image();
                                DeviceBench.Result result =
                                        measure(bench, kernel, image, address, asked, count);
                                right &= result.wrong() == 0;
                                print(
                                        of,
                                        algorithm,
                                        kernel,
                                        count,
                                        classifier,
                                        seconds.get(c),
                                        result);
                            }
                        }
                        gpu.free(address);
                    }
                }
            }
        }
        return right ? 0 : 1;
    }

    private DeviceBench.Result measure(
            DeviceBench bench,
            String kernel,
            Image image,
            long address,
            int[] expected,
            int count) {
        if (inTurn) {
            return bench.runInTurn(kernel, image, address, expected, count, runs);
        }
        return atOnce == 1
                ? bench.run(kernel, image, address, expected, count, runs)
                : bench.runAtOnce(kernel, image, address, expected, count, runs, atOnce);
    }

    private List<TestSet> sets() {
        if (shape != null) {
            RuleShape of = RuleShape.of(shape);
            RuleGenerator.Classes classes =
                    new RuleGenerator.Classes(masks, fullMasks, matchingMasks, fields);
            return List.of(
                    TestSet.generate(
                            shape + "_" + count,
                            new RuleGenerator(of, count, 1, classes, wildRatio),
                            200_000,
                            misses,
                            1,
                            false));
        }
        if (rules == null || traces.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "name --rules and --trace, or --shape");
        }
        RuleSet set = RuleFile.read(rules, null).toRuleSet("bench", 1, RuleSet.DROP);
        List<TestSet> sets = new ArrayList<>();
        for (Path trace : traces) {
            String name = String.valueOf(trace.getFileName());
            sets.add(new TestSet(name, set, HeaderTrace.read(trace), new int[0]));
        }
        return sets;
    }

    private void print(
            TestSet of,
            Algorithm algorithm,
            String kernel,
            int count,
            Classifier classifier,
            double seconds,
            DeviceBench.Result result) {
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("trace", of.name());
        node.put("ruleCount", of.rules().size());
        node.put("algorithm", algorithm.label());
        node.put("kernel", kernel);
        node.put("headersALaunch", count);
        node.put("launchesAtOnce", atOnce);
        node.put("inTurn", inTurn);
        node.put("mpps", Math.round(result.mpps()));
        node.put("mppsMin", Math.round(result.mppsMin()));
        node.put("mppsMax", Math.round(result.mppsMax()));
        node.put("buildSeconds", Math.round(seconds * 1000) / 1000.0);
        node.put("imageBytes", classifier.image().bytes());
        node.put("wrong", result.wrong());
        spec.commandLine().getOut().println(node);
    }
}
