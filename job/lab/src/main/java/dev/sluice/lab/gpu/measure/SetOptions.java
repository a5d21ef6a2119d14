package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.lab.generate.GeneratorOptions;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.sets.TestFolder;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that name rule sets and traces, or say how to generate them. */
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
            names = "--folder",
            paramLabel = "FOLDER",
            description = "Folder of NAME.rules.gz and NAME*.trace.gz, instead of files.")
    private @Nullable Path folder;

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "Generate rules instead, as 'rules generate' does: acl, fw, ipc, ipv6, classes, openflow, exact, routes, routes6, hostile, zones, groups, fewsources or blocklist.")
    private @Nullable RuleShape shape;

    @Mixin private GeneratorOptions options = new GeneratorOptions(10_000, 512, 512, 0.1);

    /**
     * The rule set with each of the traces.
     *
     * @throws ParameterException if the options name neither files nor a shape
     */
    Iterable<TestSet> read() {
        if (folder != null) {
            return TestFolder.of(folder);
        }
        if (shape != null) {
            return List.of(
                    TestSet.generate(
                            shape.label() + "_" + options.count(),
                            options.generator(shape, 1),
                            200_000,
                            options.misses(),
                            1,
                            false));
        }
        if (rules == null || traces.isEmpty()) {
            throw new ParameterException(
                    mixee.commandLine(), "name --rules and --trace, --folder or --shape");
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
