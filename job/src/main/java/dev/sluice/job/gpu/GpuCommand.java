package dev.sluice.job.gpu;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Algorithm;
import dev.sluice.engine.Classifier;
import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.Compiler;
import dev.sluice.engine.UnsupportedRulesException;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuDriver;
import dev.sluice.engine.gpu.JCudaGpuDriver;
import dev.sluice.engine.gpu.Kernel;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
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

/** {@code sluice gpu}: what is done on a GPU without a stream of packets. */
@Command(
        name = "gpu",
        description = {"Shows, checks and measures the GPUs of this machine.", ""},
        mixinStandardHelpOptions = true,
        subcommands = {GpuCommand.Info.class, GpuCommand.Bench.class})
public final class GpuCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to do: gpu info or gpu bench");
    }

    /** {@code gpu info}. */
    @Command(
            name = "info",
            mixinStandardHelpOptions = true,
            description = {"Lists the GPUs that can be used, and the driver.", ""})
    static final class Info implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Override
        public Integer call() {
            GpuDriver driver = JCudaGpuDriver.get();
            for (int d = 0; d < driver.devices(); d++) {
                GpuDriver.Info info = driver.info(d);
                spec.commandLine()
                        .getOut()
                        .printf(
                                "%d: %s, compute capability %d.%d, %d multiprocessors, %,d MiB, cache %d MiB; driver for CUDA %d.%d%n",
                                d,
                                info.name(),
                                info.architecture() / 10,
                                info.architecture() % 10,
                                info.multiprocessors(),
                                info.memoryBytes() >> 20,
                                info.cacheBytes() >> 20,
                                info.driverVersion() / 1000,
                                info.driverVersion() % 1000 / 10);
            }
            return 0;
        }
    }

    /** {@code gpu bench}. */
    @Command(
            name = "bench",
            mixinStandardHelpOptions = true,
            description = {
                "Measures kernels on headers in the device's memory and compares every verdict with the",
                "CPU's. Prints a line of JSON a measurement.",
                ""
            })
    static final class Bench implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
        private int device;

        @Option(names = "--rules", paramLabel = "FILE", required = true, description = "Rule file.")
        private Path rules = Path.of("");

        @Option(
                names = "--trace",
                paramLabel = "FILE",
                required = true,
                split = ",",
                description = "Header traces.")
        private List<Path> traces = new ArrayList<>();

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

        @Option(names = "--runs", defaultValue = "15", description = "Runs (default 15).")
        private int runs;

        @Override
        public Integer call() {
            RuleFile file = RuleFile.read(rules, null);
            RuleSet set = file.toRuleSet("bench", 1, RuleSet.DROP);
            int most = Arrays.stream(headers).max().orElse(1 << 22);
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
                                                CompileOptions.of(Algorithm.of(label))
                                                        .withBudget(budget << 20))
                                        .compile(set));
                        seconds.add((System.nanoTime() - start) / 1e9);
                    } catch (UnsupportedRulesException | MemoryBudgetException e) {
                        spec.commandLine().getErr().println(e.getMessage());
                    }
                }
                for (Path traceFile : traces) {
                    HeaderTrace trace = HeaderTrace.read(traceFile);
                    try (DeviceBench bench = new DeviceBench(on, trace, set.layout(), most)) {
                        int @Nullable [] expected = null;
                        for (int c = 0; c < classifiers.size(); c++) {
                            Classifier classifier = classifiers.get(c);
                            int[] positions = bench.positions(classifier);
                            if (expected != null && !Arrays.equals(expected, positions)) {
                                throw new IllegalStateException("two algorithms disagree");
                            }
                            expected = positions;
                            long address = gpu.allocate(classifier.image().bytes());
                            int[] words = classifier.image().words();
                            gpu.upload(address, words, 0, words.length);
                            Algorithm algorithm = Algorithm.ofCode(classifier.image().algorithm());
                            List<String> names =
                                    kernels.isEmpty() ? Kernel.names(algorithm) : kernels;
                            for (String kernel : names) {
                                if (Kernel.plan(kernel, classifier.image()) == null) {
                                    continue;
                                }
                                for (int count : headers) {
                                    DeviceBench.Result result =
                                            bench.run(
                                                    kernel,
                                                    classifier.image(),
                                                    address,
                                                    kernel.equals("trivial")
                                                            ? new int[0]
                                                            : positions,
                                                    count,
                                                    runs);
                                    right &= result.wrong() == 0;
                                    print(
                                            file,
                                            traceFile,
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

        private void print(
                RuleFile file,
                Path trace,
                Algorithm algorithm,
                String kernel,
                int count,
                Classifier classifier,
                double seconds,
                DeviceBench.Result result) {
            ObjectNode node = new ObjectMapper().createObjectNode();
            node.put("trace", String.valueOf(trace.getFileName()));
            node.put("ruleCount", file.rules().size());
            node.put("algorithm", algorithm.label());
            node.put("kernel", kernel);
            node.put("headersALaunch", count);
            node.put("mpps", Math.round(result.mpps()));
            node.put("mppsMin", Math.round(result.mppsMin()));
            node.put("mppsMax", Math.round(result.mppsMax()));
            node.put("buildSeconds", Math.round(seconds * 1000) / 1000.0);
            node.put("imageBytes", classifier.image().bytes());
            node.put("wrong", result.wrong());
            spec.commandLine().getOut().println(node);
        }
    }
}
