package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Options that name the rules of before and those of after. */
final class RulePairOptions extends RuleSetOptions {
    @Option(
            names = "--rules",
            paramLabel = "FILE[#LIST]",
            required = true,
            description =
                    "Given twice: first the rules of before, then those of after; files of any formats, plain or gzip'd. If a file holds several lists, such as the hooks of a firewall, name one. A folder of Kubernetes objects is one policy.")
    private List<Path> files = List.of();

    /** The rules of before. */
    Path old() {
        return pair().get(0);
    }

    /** The rules of after. */
    Path fresh() {
        return pair().get(1);
    }

    private List<Path> pair() {
        if (files.size() != 2) {
            throw new UsageException(
                    "--rules: is given %s; name the rules of before and of after, as in --rules OLD --rules NEW"
                            .formatted(files.size() == 1 ? "once" : files.size() + " times"));
        }
        return files;
    }
}
