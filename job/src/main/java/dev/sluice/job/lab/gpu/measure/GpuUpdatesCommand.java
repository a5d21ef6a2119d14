package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.DeviceOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu updates}. */
@Command(
        name = "updates",
        description = {
            "Measures rules that change at the engine's door beside look-ups on a device: single deltas and "
                    + "lists a second, how long after its commit a change is in verdicts, what rules that came and "
                    + "a removed rule cost look-ups.",
            "With --in-place: rules that change in place on the device, as the papers have them.",
            "Prints a line of JSON an algorithm; ends with 1 if a verdict is wrong.",
            ""
        })
public final class GpuUpdatesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            defaultValue = "acl",
            description =
                    "Generated rules, as 'rules generate' has them (default ${DEFAULT-VALUE}).")
    private String shape = "acl";

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Rules (default ${DEFAULT-VALUE}).")
    private int count;

    @Option(
            names = "--delta",
            paramLabel = "N",
            defaultValue = "5000",
            description = "With --in-place: rules of a delta (default ${DEFAULT-VALUE}).")
    private int delta;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Algorithms (default: auto; with --in-place all whose rules change in place on a device).")
    private List<String> algorithms = List.of();

    @Option(
            names = "--readers",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "Threads that look up, each with 4 batches under way (default ${DEFAULT-VALUE}).")
    private int readers;

    @Option(
            names = "--hand-over",
            paramLabel = "MODE",
            defaultValue = "auto",
            description =
                    "How batches go to the device, as 'run' has it (default ${DEFAULT-VALUE}: measured).")
    private String handOver = "auto";

    @Option(names = "--in-place", description = "Rules change in place on the device.")
    private boolean inPlace;

    @Option(
            names = "--rule-by-rule",
            description =
                    "With --in-place: rules travel, and hash-tree's own kernels take them in or out; else changed lines of memory do.")
    private boolean ruleByRule;

    @Mixin
    @SuppressWarnings("UnusedVariable") // the lines are JSON anyway
    private JsonLinesOption json = new JsonLinesOption();

    @Override
    public Integer call() throws Exception {
        device.check();
        UsageException.requireAtLeast("--count", count, 10);
        UsageException.requireRange("--delta", delta, 2, count);
        UsageException.requireRange("--readers", readers, 1, 1024);
        RuleShape rules = RuleShape.of(shape);
        return (inPlace || ruleByRule ? inPlace(rules) : atTheDoor(rules)) ? 0 : 1;
    }

    /** Whether all verdicts were right. */
    private boolean atTheDoor(RuleShape rules) throws InterruptedException {
        boolean right = true;
        for (String label : algorithms.isEmpty() ? List.of("auto") : algorithms) {
            EngineOptions options =
                    EngineOptions.DEFAULTS
                            .withAlgorithm(AlgorithmChoice.parse(label))
                            .withGpu(new GpuPool.Selection(false, List.of(device.number())))
                            .withOffload(OffloadPreference.parse(handOver));
            try (DoorBench bench =
                    new DoorBench(options, rules, count, readers, DoorBench.Spans.USUAL)) {
                ObjectNode node = new ObjectMapper().createObjectNode();
                node.put("shape", shape);
                node.put("asked", label);
                bench.measure(node);
                right &= node.get("wrong").asLong() == 0;
                print(node);
            }
        }
        return right;
    }

    private void print(ObjectNode node) {
        spec.commandLine().getOut().println(node);
        spec.commandLine().getOut().flush();
    }

    private boolean inPlace(RuleShape rules) throws InterruptedException {
        List<String> labels =
                algorithms.isEmpty()
                        ? Algorithm.all().stream()
                                .filter(algorithm -> algorithm.liveKernel().isPresent())
                                .map(Algorithm::label)
                                .toList()
                        : algorithms;
        boolean right = true;
        try (GpuDevice on =
                new GpuDevice(
                        GpuPool.shared().driver(),
                        device.number(),
                        InPlaceBench.SLOTS,
                        65_536,
                        19)) {
            for (String label : labels) {
                Algorithm algorithm = Algorithm.of(label);
                try (InPlaceBench bench =
                        new InPlaceBench(
                                on, algorithm, rules, count, delta, InPlaceBench.SPAN_NANOS)) {
                    if (ruleByRule) {
                        bench.ruleByRule();
                    }
                    ObjectNode node = new ObjectMapper().createObjectNode();
                    node.put("shape", shape);
                    node.put("algorithm", label);
                    node.put("ruleByRule", ruleByRule);
                    bench.measure(node);
                    right &= node.get("wrong").asLong() == 0;
                    print(node);
                }
            }
        }
        return right;
    }
}
