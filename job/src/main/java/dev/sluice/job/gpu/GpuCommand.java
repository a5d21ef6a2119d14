package dev.sluice.job.gpu;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.Algorithm;
import dev.sluice.engine.Classifier;
import dev.sluice.engine.CompileOptions;
import dev.sluice.engine.Compiler;
import dev.sluice.engine.UnsupportedRulesException;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuDriver;
import dev.sluice.engine.gpu.HandOver;
import dev.sluice.engine.gpu.JCudaGpuDriver;
import dev.sluice.engine.gpu.Kernel;
import dev.sluice.engine.gpu.LaunchMode;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.generate.RuleGenerator;
import dev.sluice.job.generate.RuleShape;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
        subcommands = {
            GpuCommand.Info.class,
            GpuCommand.Check.class,
            GpuCommand.Bench.class,
            GpuCommand.Host.class,
            GpuCommand.Measure.class
        })
public final class GpuCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "name what to do: gpu info, gpu check, gpu bench, gpu host or gpu measure");
    }

    /** {@code gpu info}. */
    @Command(
            name = "info",
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

    /** {@code gpu check}. */
    @Command(
            name = "check",
            description = {
                "Compares the verdicts of every kernel, transfer and batch size with the right ones: on rule sets",
                "of a folder, of files, or generated; then faults, and updates under load. Ends with 1 if one",
                "is wrong.",
                ""
            })
    static final class Check implements Callable<Integer> {
        @Spec private CommandSpec spec;

        @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
        private int device;

        @Option(names = "--rules", paramLabel = "FILE", description = "Rule file.")
        private @Nullable Path rules;

        @Option(names = "--trace", paramLabel = "FILE", description = "Header trace for it.")
        private @Nullable Path trace;

        @Option(
                names = "--expect",
                paramLabel = "FILE",
                description =
                        "Right answers: a 0-based rule index a line, -1 for a miss; else linear search gives them.")
        private @Nullable Path expect;

        @Option(
                names = "--folder",
                paramLabel = "FOLDER",
                description = "Folder of NAME.rules.gz, NAME*.trace.gz and NAME*.exp.gz.")
        private @Nullable Path folder;

        @Override
        public Integer call() throws Exception {
            PrintWriter out = spec.commandLine().getOut();
            try (GpuCheck check = new GpuCheck(JCudaGpuDriver.get(), device, out::println)) {
                if (rules != null || trace != null) {
                    if (rules == null || trace == null) {
                        throw new ParameterException(
                                spec.commandLine(), "--rules and --trace go together");
                    }
                    TestSet set = TestSet.read(rules, trace, expect);
                    check.rules(set.name(), set.rules(), set.trace(), set.expected());
                } else if (folder != null) {
                    for (TestSet set : TestFolder.of(folder)) {
                        check.rules(set.name(), set.rules(), set.trace(), set.expected());
                    }
                } else {
                    generated(check);
                }
                out.printf(
                        "%,d verdicts compared, %,d wrong; %d images were refused by their algorithms%n",
                        check.compared(), check.wrong(), check.refused());
                return check.wrong() == 0 ? 0 : 1;
            }
        }

        private static void generated(GpuCheck check) throws InterruptedException {
            TestSet ties = TestSet.generate(RuleShape.HOSTILE, 131_072, 4_000, 5);
            check.rules("ties", ties.rules(), ties.trace(), ties.expected());
            TestSet policy = TestSet.generate(RuleShape.ACL, 3000, 50_000, 77);
            check.faults(policy.rules(), policy.trace(), policy.expected());
            check.swaps(policy.rules(), policy.trace(), policy.expected());
            for (RuleShape shape : RuleShape.values()) {
                for (int count : new int[] {1, 50, 1500}) {
                    TestSet set = TestSet.generate(shape, count, 70_000, count);
                    check.rules(set.name(), set.rules(), set.trace(), set.expected());
                }
            }
        }
    }

    /** {@code gpu measure}. */
    @Command(
            name = "measure",
            description = {
                "Measures what auto chooses for the rule sets of a folder and for generated workloads, from device",
                "and from host memory, and writes gpu.json, gpu.csv and gpu.html.",
                ""
            })
    static final class Measure implements Callable<Integer> {
        private static final int MANY = 1 << 22;
        private static final int FEW = 1 << 16;
        private static final int RUNS = 15;

        @Spec private CommandSpec spec;

        @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
        private int device;

        @Option(
                names = "--folder",
                paramLabel = "FOLDER",
                description = "Folder of NAME.rules.gz and NAME*.trace.gz.")
        private @Nullable Path folder;

        @Option(
                names = "--out",
                paramLabel = "FOLDER",
                required = true,
                description = "Where the three files go.")
        private Path out = Path.of("");

        private final Measurement all = new Measurement();
        private double lastSeconds;

        @Override
        public Integer call() throws Exception {
            try (GpuDevice on = new GpuDevice(JCudaGpuDriver.get(), device, 8, FEW, 10)) {
                if (folder != null) {
                    for (TestSet set : TestFolder.of(folder)) {
                        fromDevice(on, set, "auto");
                        if (set.name().equals("acl1_10k") || set.name().equals("openflow_10k")) {
                            fromHost(on, set);
                        }
                    }
                }
                generated(on);
                all.write(out, on.info().name());
            }
            spec.commandLine().getOut().printf("%d measurements in %s%n", all.points().size(), out);
            return all.points().stream().allMatch(p -> p.wrong() == 0) ? 0 : 1;
        }

        private void generated(GpuDevice on) {
            TestSet gswitch = of("gswitch 128K rules, 512 masks", RuleShape.CLASSES, 131_072, 0);
            fromDevice(on, gswitch, "auto");
            fromDevice(on, gswitch, "tuple");
            for (double wild : new double[] {0.1, 0.5, 0.9}) {
                TestSet set = of("12 fields, wild " + wild, RuleShape.OPENFLOW, 100_000, wild);
                fromDevice(on, set, "hash-tree");
                fromDevice(on, set, "auto");
            }
            fromDevice(on, of("282,797 IPv4 routes", RuleShape.ROUTES, 282_797, 0), "routes");
            fromDevice(on, of("200,000 IPv6 routes", RuleShape.ROUTES6, 200_000, 0), "routes");
            fromDevice(on, of("hostile 131,072", RuleShape.HOSTILE, 131_072, 0), "auto");
        }

        private static TestSet of(String name, RuleShape shape, int count, double wild) {
            RuleGenerator.Classes classes = new RuleGenerator.Classes(512, 512, 1, 5);
            RuleGenerator generator = new RuleGenerator(shape, count, 1, classes, wild);
            return TestSet.generate(name, generator, 200_000, 0.1, 1, false);
        }

        private Classifier compiled(RuleSet rules, String algorithm) {
            long start = System.nanoTime();
            Classifier there = Compiler.of(Algorithm.of(algorithm)).compile(rules);
            lastSeconds = (System.nanoTime() - start) / 1e9;
            return there;
        }

        private void fromDevice(GpuDevice on, TestSet set, String algorithm) {
            Classifier classifier = compiled(set.rules(), algorithm);
            Image image = classifier.image();
            GpuDriver.Device gpu = on.device();
            try (DeviceBench bench = new DeviceBench(on, set.trace(), set.rules().layout(), MANY)) {
                int[] positions = TestSet.positions(classifier, set.trace());
                long address = gpu.allocate(image.bytes());
                gpu.upload(address, image.words(), 0, image.words().length);
                List<String> kernels = new ArrayList<>(List.of(Kernel.of(image)));
                if (algorithm.equals("tuple")) {
                    kernels.add("paper_tuple");
                }
                for (String kernel : kernels) {
                    for (int count : new int[] {MANY, FEW}) {
                        DeviceBench.Result floor =
                                bench.run("trivial", image, address, new int[0], count, RUNS);
                        DeviceBench.Result of =
                                bench.run(kernel, image, address, positions, count, RUNS);
                        add(
                                set,
                                image,
                                kernel,
                                "device",
                                count,
                                of.mpps(),
                                floor.mpps(),
                                of.wrong());
                    }
                }
                gpu.free(address);
            }
        }

        private void fromHost(GpuDevice on, TestSet set) {
            Classifier classifier = compiled(set.rules(), "auto");
            HeaderBatch batch = DeviceBench.repeat(set.trace(), set.rules().layout(), FEW);
            try (GpuClassifier gpu = new GpuClassifier(on, classifier);
                    GpuClassifier trivial = new GpuClassifier(on, classifier, "trivial")) {
                for (int size : new int[] {1024, 8192, FEW}) {
                    double floor = HostBench.rate(trivial, batch, HandOver.PLAIN, size, 4).mpps();
                    double rate = HostBench.rate(gpu, batch, HandOver.PLAIN, size, 4).mpps();
                    String kernel = Kernel.of(classifier.image());
                    add(set, classifier.image(), kernel, "host", size, rate, floor, 0);
                }
            }
        }

        private void add(
                TestSet set,
                Image image,
                String kernel,
                String way,
                int count,
                double mpps,
                double floor,
                long wrong) {
            String algorithm = Algorithm.ofCode(image.algorithm()).label();
            all.add(
                    new Measurement.Point(
                            set.name(),
                            set.rules().size(),
                            algorithm,
                            kernel,
                            way,
                            count,
                            mpps,
                            floor,
                            lastSeconds,
                            image.bytes(),
                            wrong));
            spec.commandLine()
                    .getOut()
                    .printf(
                            Locale.ROOT,
                            "%-30s %-14s %-6s %,9d  %,8.0f M/s, %.2f of the time of moving the bytes, %d wrong%n",
                            set.name(),
                            kernel,
                            way,
                            count,
                            mpps,
                            floor / mpps,
                            wrong);
        }
    }

    /** {@code gpu host}. */
    @Command(
            name = "host",
            description = {
                "Measures batches from pinned host memory to verdicts there, beside a kernel that only moves the",
                "same bytes. Prints a line of JSON a measurement.",
                ""
            })
    static final class Host implements Callable<Integer> {
        private static final int DEPTH = 8;

        @Spec private CommandSpec spec;

        @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
        private int device;

        @Option(names = "--rules", paramLabel = "FILE", required = true, description = "Rule file.")
        private Path rules = Path.of("");

        @Option(
                names = "--trace",
                paramLabel = "FILE",
                required = true,
                description = "Header trace.")
        private Path trace = Path.of("");

        @Option(
                names = "--algorithm",
                defaultValue = "auto",
                description = "Algorithm (default ${DEFAULT-VALUE}).")
        private String algorithm = "auto";

        @Option(
                names = "--headers",
                split = ",",
                defaultValue = "1024,8192,65536,524288",
                description = "Headers a batch (default ${DEFAULT-VALUE}).")
        private int[] sizes = {};

        @Option(
                names = "--hand-over",
                split = ":",
                paramLabel = "HOW",
                defaultValue =
                        "asynchronous,copy:asynchronous,mapped:asynchronous,copy,streams=1:persistent,mapped:on-demand,mapped",
                description =
                        "Ways of the batches, separated by colons (default ${DEFAULT-VALUE}).")
        private List<String> wishes = new ArrayList<>();

        @Override
        public Integer call() {
            RuleSet set = RuleFile.read(rules, null).toRuleSet("bench", 1, RuleSet.DROP);
            HeaderTrace headers = HeaderTrace.read(trace);
            Classifier cpu = Compiler.of(Algorithm.of(algorithm)).compile(set);
            int most = Arrays.stream(sizes).max().orElse(1);
            List<HandOver> ways = new ArrayList<>();
            try {
                wishes.forEach(w -> ways.add(HandOver.Wish.parse(w).orElse(HandOver.PLAIN)));
            } catch (IllegalArgumentException e) {
                throw new SluiceException("--hand-over: " + e.getMessage(), e);
            }
            HeaderBatch batch = DeviceBench.repeat(headers, set.layout(), most);
            try (GpuDevice on =
                            new GpuDevice(
                                    JCudaGpuDriver.get(),
                                    device,
                                    DEPTH,
                                    most,
                                    Math.max(1, set.layout().size()));
                    GpuClassifier gpu = new GpuClassifier(on, cpu);
                    GpuClassifier trivial = new GpuClassifier(on, cpu, "trivial")) {
                for (int size : sizes) {
                    for (HandOver way : ways) {
                        measure(gpu, trivial, batch, way, size);
                    }
                }
            }
            return 0;
        }

        /** The kernel that moves the bytes has no form that stays: it is launched instead. */
        private void measure(
                GpuClassifier gpu,
                GpuClassifier trivial,
                HeaderBatch batch,
                HandOver way,
                int size) {
            HandOver launched =
                    way.launch() == LaunchMode.PERSISTENT
                            ? new HandOver(
                                    LaunchMode.ASYNCHRONOUS,
                                    way.transfer(),
                                    way.streams(),
                                    way.gather())
                            : way;
            ObjectNode node = new ObjectMapper().createObjectNode();
            node.put("trace", String.valueOf(trace.getFileName()));
            node.put("algorithm", Algorithm.ofCode(gpu.image().algorithm()).label());
            node.put("bytesIn", 4 * gpu.layout().size());
            node.put("headersABatch", size);
            node.put("handOver", way.describe());
            int[] depths =
                    way.launch() == LaunchMode.ON_DEMAND ? new int[] {1} : new int[] {1, 4, DEPTH};
            for (int depth : depths) {
                HostBench.Result of = HostBench.rate(gpu, batch, way, size, depth);
                HostBench.Result floor = HostBench.rate(trivial, batch, launched, size, depth);
                node.put("mpps" + depth, Math.round(of.mpps()));
                node.put("trivialMpps" + depth, Math.round(floor.mpps()));
                node.put("hostNanos" + depth, Math.round(of.cpuNanos() * 1e3) / 1e3);
                node.put("hostCycles" + depth, Math.round(of.cpuCycles() * 1e2) / 1e2);
            }
            node.put("roundTripMicros", HostBench.roundTrip(gpu, batch, way, size));
            node.put("trivialMicros", HostBench.roundTrip(trivial, batch, launched, size));
            spec.commandLine().getOut().println(node);
        }
    }

    /** {@code gpu bench}. */
    @Command(
            name = "bench",
            description = {
                "Measures kernels on headers in the device's memory and compares every verdict with the",
                "CPU's. Prints a line of JSON a measurement.",
                ""
            })
    static final class Bench implements Callable<Integer> {
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

        @Option(names = "--runs", defaultValue = "15", description = "Runs (default 15).")
        private int runs;

        @Override
        public Integer call() {
            List<TestSet> sets = sets();
            RuleSet set = sets.get(0).rules();
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
                for (TestSet of : sets) {
                    HeaderTrace trace = of.trace();
                    try (DeviceBench bench = new DeviceBench(on, trace, set.layout(), most)) {
                        int @Nullable [] expected = null;
                        for (int c = 0; c < classifiers.size(); c++) {
                            Classifier classifier = classifiers.get(c);
                            int[] positions = TestSet.positions(classifier, trace);
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

        private List<TestSet> sets() {
            if (shape != null) {
                RuleShape of;
                try {
                    of = RuleShape.valueOf(shape.toUpperCase(Locale.ROOT));
                } catch (IllegalArgumentException e) {
                    throw new SluiceException("--shape " + shape + " is unknown; see --help", e);
                }
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
