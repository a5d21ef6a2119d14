package dev.sluice.lab.sets;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that name rule sets and traces. */
public final class SetOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--rules", paramLabel = "FILE", description = "Rule file.")
    private @Nullable Path rules;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            split = ",",
            description =
                    "Header traces for it, separated by commas. Right answers to NAME.trace are those of NAME.exp beside it, a 0-based rule index a line, -1 for a miss; else linear search gives them.")
    private List<Path> traces = new ArrayList<>();

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description =
                    "Folder of NAME.rules.gz, NAME*.trace.gz and NAME*.exp.gz, instead of files.")
    private @Nullable Path folder;

    /**
     * Returns the rule sets, one for each trace, to be read when they are asked for; none where no
     * option names one.
     *
     * @throws ParameterException if a rule file has no trace, or a trace no rule file
     */
    public List<Supplier<TestSet>> read() {
        if (folder != null) {
            return TestFolder.sets(folder);
        }
        Path of = rules;
        if (of == null != traces.isEmpty()) {
            throw new ParameterException(mixee.commandLine(), "--rules and --trace go together");
        }
        if (of == null) {
            return List.of();
        }
        List<Supplier<TestSet>> sets = new ArrayList<>();
        traces.forEach(trace -> sets.add(() -> TestSet.read(of, trace)));
        return sets;
    }
}
