package dev.sluice.lab.generate;

import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules generate}: rule sets of a kind, the same for the same seed. */
@Command(
        name = "generate",
        description = {
            "Writes a rule set of a kind; 'sluice rules trace' writes headers for it.",
            "The same options and seed give the same file.",
            ""
        })
public final class GenerateCommand extends SluiceCommand implements CommandContribution {
    @Option(
            names = "--shape",
            paramLabel = "NAME",
            required = true,
            description =
                    "acl, fw, ipc: ClassBench's kinds; ipv6: the same for IPv6; openflow: twelve fields; routes, routes6: prefixes, longest first; hostile: scattered bits.")
    private RuleShape shape = RuleShape.ACL;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private GeneratorOptions options = new GeneratorOptions(1000);

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed (default ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            required = true,
            description = "Rule file to write; gzip'd if it ends with .gz.")
    private Path file = Path.of("");

    @Override
    public String parent() {
        return "rules";
    }

    @Override
    public Integer call() {
        OutputPath.requireFile("--out", file);
        List<String> lines = options.generator(shape, seed).lines();
        TextFiles.write(file, String.join("\n", lines) + "\n");
        tell(out(), json, "rule", lines.size(), file);
        if (lines.size() < options.count()) {
            say(
                    "%,d of %,d rules: what was drawn beyond them was the same again"
                            .formatted(lines.size(), options.count()));
        }
        return 0;
    }

    /** Tells that a file was written. */
    static void tell(PrintWriter out, JsonOption json, String what, long count, Path file) {
        json.print(
                out,
                JsonOption.object()
                        .put("what", what + "s")
                        .put("count", count)
                        .put("file", file.toString()),
                Amount.of(count, what) + " in " + file);
    }
}
