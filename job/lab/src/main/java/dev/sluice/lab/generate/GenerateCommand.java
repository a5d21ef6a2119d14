package dev.sluice.lab.generate;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.GivenOptions;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.Range;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice rules generate}: rule sets and traces of a kind, the same for the same seed. */
@Command(
        name = "generate",
        description = {
            "Writes a rule set of a kind, and a trace of headers for it.",
            "The same options and seed give the same files.",
            ""
        })
public final class GenerateCommand implements Callable<Integer>, CommandContribution {
    @Spec private CommandSpec spec;

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "acl, fw, ipc: ClassBench's kinds; ipv6: the same for IPv6; classes: a number of masks, some of them full; openflow: twelve fields; exact: entries of ten fields, few with wildcards; routes, routes6: prefixes, longest first; hostile: scattered bits; zones: from each zone to each a list of services; groups: members times peers times services; fewsources: many services and destinations; blocklist: bad sources, mostly hosts.")
    private @Nullable RuleShape shape;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private GeneratorOptions options = new GeneratorOptions(1000, 64, 8, 0.5);

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Rule file to write; gzip'd if it ends with .gz.")
    private @Nullable Path out;

    @Option(
            names = "--rules",
            paramLabel = "FILE",
            description = "Write a trace for this rule file instead of generating rules.")
    private @Nullable Path rules;

    @Option(names = "--trace", paramLabel = "FILE", description = "Also write a trace of headers.")
    private @Nullable Path trace;

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Headers of the trace (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int headers;

    @Option(
            names = "--locality",
            paramLabel = "R",
            defaultValue = "0",
            description =
                    "Share of headers that repeat one of the last 64 (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double locality;

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description = "With --trace: also write the answers, found by linear search.")
    private @Nullable Path expect;

    @Override
    public String parent() {
        return "rules";
    }

    @Override
    public Integer call() throws IOException {
        if (expect != null && trace == null) {
            throw new UsageException("--expect needs --trace: answers belong to headers");
        }
        if (trace == null) {
            refuse(
                    List.of("--headers", "--locality", "--misses"),
                    " needs --trace: it says how its headers are drawn; add --trace FILE");
        }
        if (rules != null) {
            if (trace == null || out != null) {
                throw new UsageException(
                        "--rules names rules that there are: say --trace for their headers, and not --out");
            }
            List<String> made = new ArrayList<>(List.of("--shape"));
            Objects.requireNonNull(spec.mixins().get("options"))
                    .options()
                    .forEach(o -> made.add(o.longestName()));
            made.remove("--misses");
            refuse(
                    made,
                    " says which rules to generate, and --rules names rules that there are: leave one of them out");
            requireOtherFiles();
            trace(rules, trace);
            return 0;
        }
        if (out == null) {
            throw new UsageException("--out is missing: the rule file to write");
        }
        if (shape == null) {
            throw new UsageException("--shape is missing: the kind of rules");
        }
        requireOtherFiles();
        List<String> lines = options.generator(shape, seed).lines();
        TextFiles.write(out, String.join("\n", lines) + "\n");
        tell("rule", lines.size(), out);
        if (lines.size() < options.count()) {
            spec.commandLine()
                    .getErr()
                    .printf(
                            "sluice: %,d of %,d rules: what was drawn beyond them was the same again%n",
                            lines.size(), options.count());
        }
        if (trace != null) {
            trace(out, trace);
        }
        return 0;
    }

    /** Refuses to write one file twice, or over the one that is read. */
    private void requireOtherFiles() {
        List<Path> others = new ArrayList<>();
        if (rules != null) {
            others.add(rules);
        }
        requireOther("--out", out, others);
        requireOther("--trace", trace, others);
        requireOther("--expect", expect, others);
    }

    private static void requireOther(String option, @Nullable Path to, List<Path> others) {
        if (to != null) {
            OutputPath.requireFile(option, to);
            OutputPath.requireOther(option, to, others);
            others.add(to);
        }
    }

    private void refuse(List<String> names, String reason) {
        GivenOptions.refuse(spec, names, name -> name + reason);
    }

    private void trace(Path from, Path to) throws IOException {
        RuleFile file = RuleFile.read(from, null);
        RuleSet set = file.toRuleSet("generated", 1, RuleSet.DROP);
        TraceGenerator generator = TraceGenerator.of(file, set, options.misses(), locality, seed);
        TextFiles.write(to, writer -> generator.write(writer, headers));
        tell("header", headers, to);
        if (expect != null) {
            // From the file, as a reader of it sees the headers.
            int[] answers = Answers.indexes(file, set, Answers.linear(set, HeaderTrace.read(to)));
            TextFiles.write(expect, Answers.text(answers));
            tell("answer", answers.length, expect);
        }
    }

    private void tell(String what, long count, Path file) {
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(
                    out,
                    JsonOption.object()
                            .put("what", what + "s")
                            .put("count", count)
                            .put("file", file.toString()));
        } else {
            out.printf("%s in %s%n", Amount.of(count, what), file);
        }
    }
}
