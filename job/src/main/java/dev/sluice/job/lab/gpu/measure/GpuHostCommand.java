package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.sets.DeviceOption;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu host}. */
@Command(
        name = "host",
        description = {
            "Measures batches from pinned host memory to verdicts there, beside a kernel "
                    + "that only moves the same bytes.",
            "Prints a line of JSON a measurement.",
            ""
        })
public final class GpuHostCommand implements Callable<Integer> {
    private static final int DEPTH = 8;

    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

    @Option(names = "--rules", paramLabel = "FILE", required = true, description = "Rule file.")
    private Path rules = Path.of("");

    @Option(names = "--trace", paramLabel = "FILE", required = true, description = "Header trace.")
    private Path trace = Path.of("");

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "Algorithm (default ${DEFAULT-VALUE}).")
    private String algorithm = "auto";

    @Option(
            names = "--headers",
            paramLabel = "N",
            split = ",",
            defaultValue = "1024,8192,65536,524288",
            description = "Headers a batch, sizes separated by commas (default ${DEFAULT-VALUE}).")
    private int[] sizes = {};

    @Option(
            names = "--hand-over",
            split = ":",
            paramLabel = "HOW",
            defaultValue =
                    "asynchronous,copy:asynchronous,mapped:asynchronous,copy,streams=1:persistent,mapped:on-demand,mapped",
            description =
                    "How batches go to the GPU, choices separated by colons (default ${DEFAULT-VALUE}).")
    private List<String> asked = new ArrayList<>();

    @Mixin
    @SuppressWarnings("UnusedVariable") // the lines are JSON anyway
    private JsonLinesOption json = new JsonLinesOption();

    @Override
    public Integer call() {
        device.check();
        for (int size : sizes) {
            UsageException.requireAtLeast("--headers", size, 1);
        }
        List<OffloadMode> modes = new ArrayList<>();
        try {
            asked.forEach(w -> modes.add(OffloadPreference.parse(w).orElse(OffloadMode.PLAIN)));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--hand-over: " + e.getMessage(), e);
        }
        RuleSet set = RuleFile.read(rules, null).toRuleSet("bench", 1, RuleSet.DROP);
        HeaderTrace headers = HeaderTrace.read(trace);
        Classifier cpu = BuiltRules.of(set, algorithm).classifier();
        int most = Arrays.stream(sizes).max().orElse(1);
        HeaderBatch batch = DrawnHeaders.batch(headers, set.layout(), most);
        try (GpuDevice on =
                        new GpuDevice(
                                GpuPool.shared().driver(),
                                device.number(),
                                DEPTH,
                                most,
                                Math.max(1, set.layout().size()));
                GpuClassifier gpu = new GpuClassifier(on, cpu);
                GpuClassifier trivial = new GpuClassifier(on, cpu, KernelCatalog.TRIVIAL)) {
            for (int size : sizes) {
                for (OffloadMode mode : modes) {
                    measure(gpu, trivial, batch, mode, size);
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
            OffloadMode mode,
            int size) {
        OffloadMode launched = mode.launched();
        ObjectNode node = new ObjectMapper().createObjectNode();
        node.put("trace", String.valueOf(trace.getFileName()));
        node.put("algorithm", Algorithm.ofCode(gpu.image().algorithm()).label());
        node.put("bytesIn", 4 * gpu.layout().size());
        node.put("headersABatch", size);
        node.put("handOver", mode.describe());
        int[] depths =
                mode.launch() == LaunchMode.ON_DEMAND ? new int[] {1} : new int[] {1, 4, DEPTH};
        for (int depth : depths) {
            HostBench.Result rate = HostBench.rate(gpu, batch, mode, size, depth);
            HostBench.Result floor = HostBench.rate(trivial, batch, launched, size, depth);
            node.put("mpps" + depth, Math.round(rate.mpps()));
            node.put("trivialMpps" + depth, Math.round(floor.mpps()));
            node.put("hostNanos" + depth, Math.round(rate.cpuNanos() * 1e3) / 1e3);
            node.put("hostCycles" + depth, Math.round(rate.cpuCycles() * 1e2) / 1e2);
        }
        node.put("roundTripMicros", HostBench.roundTrip(gpu, batch, mode, size));
        node.put("trivialMicros", HostBench.roundTrip(trivial, batch, launched, size));
        spec.commandLine().getOut().println(node);
    }
}
