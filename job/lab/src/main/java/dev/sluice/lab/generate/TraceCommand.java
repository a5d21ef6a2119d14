package dev.sluice.lab.generate;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules trace}: headers for a rule file, the same for the same seed. */
@Command(
        name = "trace",
        description = {
            "Writes a trace of headers for a rule file, and the answers.",
            "The same options and seed give the same files.",
            ""
        })
public final class TraceCommand extends SluiceCommand implements CommandContribution {
    @Mixin private RuleOptions rules = new RuleOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "Trace to write; gzip'd if it ends with .gz.")
    private Path trace = Path.of("");

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description = "Also write the answers, found by linear search.")
    private @Nullable Path expect;

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Headers of the trace (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int headers;

    @Option(
            names = "--misses",
            paramLabel = "R",
            defaultValue = "0.5",
            description =
                    "Share of headers that are near misses or random; the others match (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double misses;

    @Option(
            names = "--locality",
            paramLabel = "R",
            defaultValue = "0",
            description =
                    "Share of headers that repeat one of the last 64 (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double locality;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed (default ${DEFAULT-VALUE}).")
    private long seed;

    @Override
    public String parent() {
        return "rules";
    }

    @Override
    public Integer call() throws IOException {
        rules.file();
        OutputPath.requireFile("--out", trace);
        OutputPath.requireOther("--out", trace, rules.files());
        if (expect != null) {
            OutputPath.requireFile("--expect", expect);
            OutputPath.requireOther("--expect", expect, rules.files());
            OutputPath.requireOther("--expect", expect, List.of(trace));
        }
        RuleFile file = rules.read(err());
        RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
        TraceGenerator generator = TraceGenerator.of(file, set, misses, locality, seed);
        TextFiles.write(trace, writer -> generator.write(writer, headers));
        GenerateCommand.tell(out(), json, "header", headers, trace);
        if (expect != null) {
            // From the file, as a reader of it sees the headers.
            int[] answers =
                    Answers.indexes(file, set, Answers.linear(set, HeaderTrace.read(trace)));
            TextFiles.write(expect, Answers.text(answers));
            GenerateCommand.tell(out(), json, "answer", answers.length, expect);
        }
        return 0;
    }
}
