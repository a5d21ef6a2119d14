package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.lab.generate.Answers;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.ExactTables;
import dev.sluice.job.lab.sets.TestFolder;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu measure}. */
@Command(
        name = "measure",
        description = {
            "Measures what auto chooses for the rule sets of a folder and for generated workloads, from device",
            "and from host memory, and writes gpu.json, gpu.csv and gpu.html.",
            ""
        })
public final class GpuMeasureCommand implements Callable<Integer> {
    private static final int MANY = 1 << 22;
    private static final int FEW = 1 << 16;
    private static final int[] ALONE = {MANY, FEW};
    private static final int[] SMALL = {FEW};
    private static final int[] NONE = {};
    private static final int RUNS = 15;

    /** Launches under way at once, beside one alone. */
    private static final int AT_ONCE = 8;

    /** A way to launch a kernel on what lies in the device's memory. */
    private interface Run {
        DeviceBench.Result of(
                String kernel, Image image, long address, int[] expected, int count, int runs);
    }

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

    @Option(
            names = "--part",
            split = ",",
            defaultValue = "sets,host,cores,generated,exact,papers,rfc",
            description =
                    "What to measure: sets of the folder; batches from host memory; all cores of the CPU; generated workloads; exact entries beside wildcards; the papers' workloads; RFC at 5,700 rules, whose builds take a minute (default ${DEFAULT-VALUE}).")
    private List<String> parts = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        for (String part : parts) {
            if (!List.of("sets", "host", "cores", "generated", "exact", "papers", "rfc")
                    .contains(part)) {
                throw new SluiceException("--part " + part + " is unknown; see --help");
            }
        }
        try (GpuDevice on = new GpuDevice(JCudaGpuDriver.get(), device, 8, FEW, 10)) {
            if (folder != null) {
                for (TestSet set : TestFolder.of(folder)) {
                    ofFolder(on, set);
                }
            }
            if (parts.contains("generated")) {
                generated(on);
            }
            if (parts.contains("exact")) {
                for (TestSet set :
                        List.of(ExactTables.of(32_768, 32), ExactTables.of(1_000_000, 1_000))) {
                    fromDevice(on, set, "exact-first");
                    fromDevice(on, set, "auto");
                }
            }
            if (parts.contains("papers")) {
                papers(on);
            }
            if (parts.contains("rfc")) {
                TestSet acl = of("5,700 ACL rules", RuleShape.ACL, 5_700, 0);
                fromDevice(on, acl, "rfc");
                fromDevice(on, acl, "bitmap-rfc");
            }
            all.write(out, on.info().name());
        }
        spec.commandLine().getOut().printf("%d measurements in %s%n", all.points().size(), out);
        return all.points().stream().allMatch(p -> p.wrong() == 0) ? 0 : 1;
    }

    private void ofFolder(GpuDevice on, TestSet set) throws InterruptedException {
        String name = set.name();
        if (parts.contains("sets")) {
            fromDevice(on, set, "auto");
        }
        if (parts.contains("host") && (name.equals("acl1_10k") || name.equals("openflow_10k"))) {
            Classifier classifier = compiled(set.rules(), "auto");
            for (int size : new int[] {1024, 8192, FEW}) {
                fromHost(on, set, classifier, size, OffloadMode.PLAIN, 4);
            }
        }
        if (parts.contains("cores") && name.matches(".*_(10|100|128)k(_mix)?")) {
            Classifier classifier = compiled(set.rules(), "auto");
            int cores = Runtime.getRuntime().availableProcessors();
            for (int threads : new int[] {1, cores}) {
                double mpps = CoreBench.rate(classifier, set.trace(), threads);
                add(set, classifier.image(), "-", "cpu x " + threads, 4096, mpps, 0, 0, 0, 0);
            }
            fromHost(on, set, classifier, FEW, OffloadMode.PLAIN, 4);
        }
    }

    private void generated(GpuDevice on) {
        for (double wild : new double[] {0.1, 0.5, 0.9}) {
            TestSet set = of("12 fields, wild " + wild, RuleShape.OPENFLOW, 100_000, wild);
            fromDevice(on, set, "hash-tree");
            fromDevice(on, set, "auto");
        }
        fromDevice(on, of("282,797 IPv4 routes", RuleShape.ROUTES, 282_797, 0), "routes");
        fromDevice(on, of("200,000 IPv6 routes", RuleShape.ROUTES6, 200_000, 0), "routes");
        fromDevice(on, of("hostile 131,072", RuleShape.HOSTILE, 131_072, 0), "auto");
    }

    /** GSwitch's, H-HashTree's and Schramm's workloads. */
    private void papers(GpuDevice on) {
        fromDevice(on, classes(1_024, 128), "linear");
        for (int rules : new int[] {256, 1_024, 16_384}) {
            fromDevice(on, classes(rules, 128), "tuple");
            fromDevice(on, classes(rules, 128), "auto");
        }
        for (int masks : new int[] {128, 256, 512, 1_024}) {
            fromDevice(on, classes(32_768, masks), "tuple");
        }
        fromDevice(on, classes(131_072, 512), "tuple");
        fromDevice(on, classes(131_072, 512), "bloom");
        fromDevice(on, classes(131_072, 512), "auto");
        for (int rules : new int[] {1_000, 10_000}) {
            for (double wild : new double[] {0.1, 0.5, 0.9}) {
                String name = "12 fields, wild " + wild;
                fromDevice(on, of(name, RuleShape.OPENFLOW, rules, wild), "hash-tree");
            }
        }
        for (int rules : new int[] {64, 256, 1_024, 4_096, 16_384, 50_000}) {
            TestSet set = of("FW", RuleShape.FW, rules, 0);
            Classifier classifier;
            try {
                classifier = compiled(set.rules(), "bitvector");
            } catch (MemoryBudgetException e) {
                spec.commandLine().getErr().println(e.getMessage());
                continue;
            }
            double core = CoreBench.rate(classifier, set.trace(), 1);
            add(set, classifier.image(), "-", "cpu x 1", 4096, core, 0, 0, 0, 0);
            for (int burst : new int[] {64, 512, 1_024}) {
                for (OffloadMode way :
                        List.of(
                                new OffloadMode(LaunchMode.ON_DEMAND, Transfer.MAPPED, 1, 1),
                                new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.MAPPED, 2, 1),
                                new OffloadMode(LaunchMode.PERSISTENT, Transfer.MAPPED, 2, 1))) {
                    int depth = way.launch() == LaunchMode.ON_DEMAND ? 1 : 2;
                    fromHost(on, set, classifier, burst, way, depth);
                }
            }
            fromDevice(on, set, "bitvector");
        }
    }

    private static TestSet classes(int rules, int masks) {
        int full = Math.min(masks, rules / 2);
        RuleGenerator.Classes classes = new RuleGenerator.Classes(masks, full, 1, 5);
        String name = "gswitch C = " + masks;
        RuleGenerator generator = new RuleGenerator(RuleShape.CLASSES, rules, 1, classes, 0);
        return TestSet.generate(name, generator, 200_000, 0.1, 1, false);
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
            int[] positions = Answers.positions(classifier, set.trace());
            long address = gpu.allocate(image.bytes());
            gpu.upload(address, image.words(), 0, image.words().length);
            double gathers = bench.gathers(image, address, RUNS);
            List<String> kernels = new ArrayList<>(List.of(KernelCatalog.of(image)));
            if (!algorithm.equals("auto")) {
                KernelCatalog.names(Algorithm.of(algorithm)).stream()
                        .filter(
                                k ->
                                        !KernelCatalog.onHost(k)
                                                && KernelCatalog.parameters(k, image) != null)
                        .forEach(kernels::add);
            }
            for (String kernel : kernels) {
                double sectors = bench.sectors(kernel, image, address);
                Map<String, Run> ways = new LinkedHashMap<>();
                ways.put("device", bench::run);
                ways.put("device, in turn", bench::runInTurn);
                ways.put(
                        "device, " + AT_ONCE + " at once",
                        (k, i, at, right, count, runs) ->
                                bench.runAtOnce(k, i, at, right, count, runs, AT_ONCE));
                ways.forEach(
                        (way, run) -> {
                            for (int count : way.equals("device") ? ALONE : SMALL) {
                                DeviceBench.Result floor =
                                        run.of("trivial", image, address, NONE, count, RUNS);
                                DeviceBench.Result of =
                                        run.of(kernel, image, address, positions, count, RUNS);
                                add(
                                        set,
                                        image,
                                        kernel,
                                        way,
                                        count,
                                        of.mpps(),
                                        floor.mpps(),
                                        sectors,
                                        gathers,
                                        of.wrong());
                            }
                        });
            }
            gpu.free(address);
        }
    }

    private void fromHost(
            GpuDevice on,
            TestSet set,
            Classifier classifier,
            int size,
            OffloadMode way,
            int depth) {
        HeaderBatch batch = DeviceBench.repeat(set.trace(), set.rules().layout(), size);
        try (GpuClassifier gpu = new GpuClassifier(on, classifier);
                GpuClassifier trivial = new GpuClassifier(on, classifier, "trivial")) {
            double floor = HostBench.rate(trivial, batch, way.launched(), size, depth).mpps();
            double rate = HostBench.rate(gpu, batch, way, size, depth).mpps();
            double micros = HostBench.roundTrip(gpu, batch, way, size);
            String how =
                    String.format(
                            Locale.ROOT,
                            "host, %s, %s, %d at once, alone %.1f µs",
                            way.launch().name().toLowerCase(Locale.ROOT),
                            way.transfer().name().toLowerCase(Locale.ROOT),
                            depth,
                            micros);
            add(set, classifier.image(), gpu.kernel(), how, size, rate, floor, 0, 0, 0);
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
            double sectors,
            double gathers,
            long wrong) {
        String algorithm = Algorithm.ofCode(image.algorithm()).label();
        Measurement.Point point =
                new Measurement.Point(
                        set.name(),
                        set.rules().size(),
                        algorithm,
                        kernel,
                        way,
                        count,
                        mpps,
                        floor,
                        sectors,
                        gathers,
                        lastSeconds,
                        image.bytes(),
                        wrong);
        all.add(point);
        spec.commandLine()
                .getOut()
                .printf(
                        Locale.ROOT,
                        "%-24s %,7d %-18s %-8s %,9d  %,8.1f M/s, %5.1f sectors, %.2f of the floor, %d wrong%n",
                        set.name(),
                        set.rules().size(),
                        kernel,
                        way,
                        count,
                        mpps,
                        sectors,
                        point.timeOverFloor(),
                        wrong);
    }
}
