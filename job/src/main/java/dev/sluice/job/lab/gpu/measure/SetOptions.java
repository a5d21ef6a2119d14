package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that name a rule set and traces, or say how to generate them. */
final class SetOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--rules", paramLabel = "FILE", description = "Rule file.")
    private @Nullable Path rules;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            split = ",",
            description = "Header traces for it, separated by commas.")
    private List<Path> traces = new ArrayList<>();

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "Generate rules instead, as 'rules generate' does: acl, fw, ipc, ipv6, classes, openflow, routes, routes6 or hostile.")
    private @Nullable String shape;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Generated rules (default ${DEFAULT-VALUE}).")
    private int count;

    @Option(
            names = "--masks",
            paramLabel = "C",
            defaultValue = "512",
            description = "classes: distinct masks (default ${DEFAULT-VALUE}).")
    private int masks;

    @Option(
            names = "--full-masks",
            paramLabel = "F",
            defaultValue = "512",
            description =
                    "classes: masks that share all rules but one for each other mask (default ${DEFAULT-VALUE}).")
    private int fullMasks;

    @Option(
            names = "--matching-masks",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "classes: masks of which one header matches a rule (default ${DEFAULT-VALUE}).")
    private int matchingMasks;

    @Option(
            names = "--fields",
            paramLabel = "N",
            defaultValue = "5",
            description = "classes: 5 or 12 (default ${DEFAULT-VALUE}).")
    private int fields;

    @Option(
            names = "--wild-ratio",
            paramLabel = "R",
            defaultValue = "0.5",
            description =
                    "openflow: share of wild values in the fields beyond the 5-tuple (default ${DEFAULT-VALUE}).")
    private double wildRatio;

    @Option(
            names = "--misses",
            paramLabel = "R",
            defaultValue = "0.1",
            description =
                    "Share of generated headers that are random or near misses (default ${DEFAULT-VALUE}).")
    private double misses;

    /**
     * The rule set with each of the traces.
     *
     * @throws ParameterException if the options name neither files nor a shape
     */
    List<TestSet> read() {
        if (shape != null) {
            RuleGenerator.MaskCounts maskCounts =
                    new RuleGenerator.MaskCounts(masks, fullMasks, matchingMasks, fields);
            return List.of(
                    TestSet.generate(
                            shape + "_" + count,
                            new RuleGenerator(RuleShape.of(shape), count, 1, maskCounts, wildRatio),
                            200_000,
                            misses,
                            1,
                            false));
        }
        if (rules == null || traces.isEmpty()) {
            throw new ParameterException(
                    mixee.commandLine(), "name --rules and --trace, or --shape");
        }
        RuleSet set = RuleFile.read(rules, null).toRuleSet("bench", 1, RuleSet.DROP);
        List<TestSet> sets = new ArrayList<>();
        for (Path trace : traces) {
            String name = String.valueOf(trace.getFileName());
            sets.add(new TestSet(name, set, HeaderTrace.read(trace), new int[0]));
        }
        return sets;
    }
}
