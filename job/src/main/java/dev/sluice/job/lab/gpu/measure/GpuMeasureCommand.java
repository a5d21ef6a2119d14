package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.DeviceOption;
import dev.sluice.job.lab.sets.ExactTables;
import dev.sluice.job.lab.sets.TestFolder;
import dev.sluice.job.lab.sets.TestSet;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu measure}. */
@Command(
        name = "measure",
        description = {
            "Measures what auto chooses for the rule sets of a folder and for generated "
                    + "workloads, from device and from host memory, and writes gpu.json, gpu.csv and "
                    + "gpu.html.",
            ""
        })
public final class GpuMeasureCommand implements Callable<Integer> {
    private static final List<String> PARTS =
            List.of("sets", "host", "cores", "generated", "exact", "papers", "rfc");

    private static final int[] BURSTS = {64, 512, 1_024};
    private static final int[] QUEUES = {1, 2, 4, 8};

    /** Words of a header that batches from the host may have. */
    private static final int MOST_WORDS = 10;

    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

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

    @Option(
            names = "--part",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "sets,host,cores,generated,exact,papers,rfc",
            description =
                    "What to measure, separated by commas: sets of the folder; batches from host memory; all cores of the CPU; generated workloads; exact entries beside wildcards; the papers' workloads; RFC at 5,700 rules, whose builds take a minute (default ${DEFAULT-VALUE}).")
    private List<String> parts = new ArrayList<>();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        device.check();
        for (String part : parts) {
            if (!PARTS.contains(part)) {
                throw new UsageException(
                        "--part " + part + " is unknown; use some of " + String.join(", ", PARTS));
            }
        }
        OutputPath.makeFolder(
                "--out",
                out,
                Measurement.FILES,
                folder == null ? List.of() : TestFolder.of(folder).files());
        Measurement all = new Measurement();
        try (GpuDevice on =
                new GpuDevice(
                        GpuPool.shared().driver(),
                        device.number(),
                        8,
                        PointMeter.FEW,
                        MOST_WORDS)) {
            measure(new PointMeter(on, all, this::print));
            all.write(out, on.info().name());
        }
        if (!json.isGiven()) {
            spec.commandLine().getOut().printf("%d measurements in %s%n", all.points().size(), out);
        }
        return all.points().stream().allMatch(p -> p.wrong() == 0) ? 0 : 1;
    }

    private void print(Measurement.Point point) {
        PrintWriter to = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(to, point.json());
        } else {
            to.println(point.line());
        }
    }

    private void measure(PointMeter meter) {
        if (folder != null) {
            for (TestSet set : TestFolder.of(folder)) {
                ofFolder(meter, set);
            }
        }
        if (parts.contains("generated")) {
            generated(meter);
        }
        if (parts.contains("exact")) {
            for (TestSet set :
                    List.of(ExactTables.of(32_768, 32), ExactTables.of(1_000_000, 1_000))) {
                meter.fromDevice(set, "exact-first");
                meter.fromDevice(set, "auto");
            }
        }
        if (parts.contains("papers")) {
            papers(meter);
        }
        if (parts.contains("rfc")) {
            TestSet acl = Workloads.shape("5,700 generated ACL rules", RuleShape.ACL, 5_700, 0);
            meter.fromDevice(acl, "rfc");
            meter.fromDevice(acl, "bitmap-rfc");
        }
    }

    private void ofFolder(PointMeter meter, TestSet set) {
        String name = set.name();
        if (parts.contains("sets")) {
            meter.fromDevice(set, "auto");
        }
        if (parts.contains("host") && (name.equals("acl1_10k") || name.equals("openflow_10k"))) {
            BuiltRules built = BuiltRules.of(set.rules(), "auto");
            for (int size : new int[] {1024, 8192, PointMeter.FEW}) {
                meter.fromHost(set, built, size, OffloadMode.PLAIN, 4);
            }
        }
        if (parts.contains("cores") && name.matches(".*_(10|100|128)k(_mix)?")) {
            BuiltRules built = BuiltRules.of(set.rules(), "auto");
            for (int threads : new int[] {1, Runtime.getRuntime().availableProcessors()}) {
                meter.onCores(set, built, threads);
            }
            meter.fromHost(set, built, PointMeter.FEW, OffloadMode.PLAIN, 4);
        }
    }

    private static void generated(PointMeter meter) {
        for (double wild : new double[] {0.1, 0.5, 0.9}) {
            TestSet set =
                    Workloads.shape("12 fields, wild " + wild, RuleShape.OPENFLOW, 100_000, wild);
            meter.fromDevice(set, "hash-tree");
            meter.fromDevice(set, "auto");
        }
        meter.fromDevice(
                Workloads.shape("282,797 IPv4 routes", RuleShape.ROUTES, 282_797, 0), "routes");
        meter.fromDevice(
                Workloads.shape("200,000 IPv6 routes", RuleShape.ROUTES6, 200_000, 0), "routes");
        meter.fromDevice(Workloads.shape("hostile 131,072", RuleShape.HOSTILE, 131_072, 0), "auto");
    }

    /** GSwitch's, H-HashTree's and Schramm's workloads. */
    private void papers(PointMeter meter) {
        meter.fromDevice(Workloads.masks(1_024, 128), "linear");
        for (int rules : new int[] {256, 1_024, 16_384}) {
            meter.fromDevice(Workloads.masks(rules, 128), "tuple");
            meter.fromDevice(Workloads.masks(rules, 128), "auto");
        }
        for (int masks : new int[] {128, 256, 512, 1_024}) {
            TestSet set = Workloads.masks(32_768, masks);
            meter.fromDevice(set, "tuple");
            meter.fromDevice(set, "auto");
        }
        meter.fromDevice(Workloads.masks(131_072, 512), "tuple");
        meter.fromDevice(Workloads.masks(131_072, 512), "bloom");
        meter.fromDevice(Workloads.masks(131_072, 512), "auto");
        for (int rules : new int[] {1_000, 10_000}) {
            for (double wild : new double[] {0.1, 0.5, 0.9}) {
                String name = "12 fields, wild " + wild;
                meter.fromDevice(
                        Workloads.shape(name, RuleShape.OPENFLOW, rules, wild), "hash-tree");
            }
        }
        for (int rules : new int[] {1_000, 10_000, 100_000}) {
            for (double wild : new double[] {0.1, 0.5, 0.9}) {
                String name = "12 fields, wild " + wild + ", all match";
                meter.fromDevice(
                        Workloads.matching(name, RuleShape.OPENFLOW, rules, wild), "hash-tree");
            }
        }
        for (int rules : new int[] {64, 256, 1_024, 4_096, 16_384, 50_000}) {
            bursts(meter, Workloads.shape("FW", RuleShape.FW, rules, 0));
            bursts(meter, Workloads.shape("random", RuleShape.RANDOM, rules, 0));
        }
        for (RuleShape shape : List.of(RuleShape.FW, RuleShape.RANDOM)) {
            queues(meter, Workloads.shape(shape.label() + ", queues", shape, 1_024, 0));
        }
    }

    /** Bursts by Schramm's numbers of queues, which are streams here, in every launch mode. */
    private void queues(PointMeter meter, TestSet set) {
        BuiltRules built = BuiltRules.of(set.rules(), "bitvector");
        for (LaunchMode launch : LaunchMode.values()) {
            for (int queues : QUEUES) {
                for (int burst : BURSTS) {
                    OffloadMode mode = new OffloadMode(launch, Transfer.MAPPED, queues, 1);
                    meter.fromHost(set, built, burst, mode, queues);
                }
            }
        }
    }

    /** Bitvector search with Schramm's bursts, in three offload modes. */
    private void bursts(PointMeter meter, TestSet set) {
        BuiltRules built;
        try {
            built = BuiltRules.of(set.rules(), "bitvector");
        } catch (MemoryBudgetException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return;
        }
        meter.onCores(set, built, 1);
        for (int burst : BURSTS) {
            for (OffloadMode mode :
                    List.of(
                            new OffloadMode(LaunchMode.ON_DEMAND, Transfer.MAPPED, 1, 1),
                            new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.MAPPED, 2, 1),
                            new OffloadMode(LaunchMode.PERSISTENT, Transfer.MAPPED, 2, 1))) {
                int depth = mode.launch() == LaunchMode.ON_DEMAND ? 1 : 2;
                meter.fromHost(set, built, burst, mode, depth);
            }
        }
        meter.fromDevice(set, "bitvector");
    }
}
