package dev.sluice.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.sets.DeviceOption;
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
            "Measures rules that change in place on a device, as the papers have them: a list of rules from the host's copy to the device's. "
                    + "A job changes rules by versions instead: 'bench corridor --rule-changes' measures that.",
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
            description = "Rules of a list: half go, half come (default ${DEFAULT-VALUE}).")
    private int delta;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Algorithms, separated by commas (default: all whose rules change in place on a device).")
    private List<String> algorithms = List.of();

    @Option(
            names = "--rule-by-rule",
            description =
                    "Rules travel, and hash-tree's own kernels take them in or out; else changed lines of memory do.")
    private boolean ruleByRule;

    @Mixin
    @SuppressWarnings("UnusedVariable") // the lines are JSON anyway
    private JsonLinesOption json = new JsonLinesOption();

    @Override
    public Integer call() {
        device.check();
        UsageException.requireAtLeast("--count", count, 10);
        UsageException.requireRange("--delta", delta, 2, count);
        RuleShape rules = RuleShape.of(shape);
        List<Algorithm> all =
                algorithms.isEmpty()
                        ? Algorithm.all().stream()
                                .filter(algorithm -> algorithm.liveKernel().isPresent())
                                .toList()
                        : algorithms.stream().map(Algorithm::of).toList();
        boolean right = true;
        try (GpuDevice on =
                new GpuDevice(GpuPool.shared().driver(), device.number(), 4, 65_536, 19)) {
            for (Algorithm algorithm : all) {
                try (InPlaceBench bench = new InPlaceBench(on, algorithm, rules, count, delta)) {
                    if (ruleByRule) {
                        bench.ruleByRule();
                    }
                    ObjectNode node =
                            JsonOption.object()
                                    .put("shape", shape)
                                    .put("algorithm", algorithm.label())
                                    .put("ruleByRule", ruleByRule);
                    bench.measure(node);
                    right &= node.get("wrong").asLong() == 0;
                    JsonOption.print(spec.commandLine().getOut(), node);
                }
            }
        }
        return right ? 0 : 1;
    }
}
