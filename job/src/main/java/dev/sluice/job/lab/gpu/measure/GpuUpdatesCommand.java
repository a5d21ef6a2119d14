package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.RuleShape;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu updates}. */
@Command(
        name = "updates",
        description = {
            "Measures rules that change in place on a device: what an update of its copy "
                    + "takes, updates beside look-ups, and what they cost these.",
            "Prints a line of JSON an algorithm.",
            ""
        })
public final class GpuUpdatesCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
            names = "--gpu",
            paramLabel = "DEVICE",
            defaultValue = "0",
            description = "Number of the device (default ${DEFAULT-VALUE}).")
    private int device;

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
            description = "Rules of a delta (default ${DEFAULT-VALUE}).")
    private int delta;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Algorithms, separated by commas (default: all whose rules change in place on a device).")
    private List<String> algorithms =
            Algorithm.all().stream()
                    .filter(algorithm -> algorithm.liveKernel().isPresent())
                    .map(Algorithm::label)
                    .toList();

    @Option(
            names = "--rule-by-rule",
            description =
                    "Rules travel, and hash-tree's own kernels take them in or out; else changed lines of memory do.")
    private boolean ruleByRule;

    @Override
    public Integer call() throws Exception {
        RuleShape rules = RuleShape.of(shape);
        UsageException.requireAtLeast("--count", count, 10);
        UsageException.requireRange("--delta", delta, 2, count);
        boolean right = true;
        try (GpuDevice on =
                new GpuDevice(JCudaGpuDriver.get(), device, LiveBench.SLOTS, 65_536, 19)) {
            for (String label : algorithms) {
                Algorithm algorithm = Algorithm.of(label);
                try (LiveBench bench = new LiveBench(on, algorithm, rules, count, delta)) {
                    if (ruleByRule) {
                        bench.ruleByRule();
                    }
                    ObjectNode node = new ObjectMapper().createObjectNode();
                    node.put("shape", shape);
                    node.put("algorithm", label);
                    node.put("ruleByRule", ruleByRule);
                    bench.measure(node);
                    right &= node.get("wrong").asLong() == 0;
                    spec.commandLine().getOut().println(node);
                }
            }
        }
        return right ? 0 : 1;
    }
}
