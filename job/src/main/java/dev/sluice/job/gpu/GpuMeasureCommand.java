package dev.sluice.job.gpu;

import dev.sluice.engine.Algorithm;
import dev.sluice.engine.Classifier;
import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuDriver;
import dev.sluice.engine.gpu.HandOver;
import dev.sluice.engine.gpu.JCudaGpuDriver;
import dev.sluice.engine.gpu.Kernel;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.generate.RuleGenerator;
import dev.sluice.job.generate.RuleShape;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
final class GpuMeasureCommand implements Callable<Integer> {
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
                    add(set, image, kernel, "device", count, of.mpps(), floor.mpps(), of.wrong());
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
