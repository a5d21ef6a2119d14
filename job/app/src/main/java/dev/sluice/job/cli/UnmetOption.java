package dev.sluice.job.cli;

import dev.sluice.job.report.OutcomeChanges;
import dev.sluice.job.report.UnmetPairs;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleList;
import dev.sluice.policy.questions.SemanticDiff;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that bounds the differences which no packet met. */
final class UnmetOption {
    @Option(
            names = "--unmet",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "List the N largest pairs of lines that decide otherwise about packets of which none was met, with the number of these packets and one of them; the others are counted; 0: do not look for them (default ${DEFAULT-VALUE}).")
    @Range(to = 1_000_000)
    private int most = 20;

    /** Compares the files themselves. */
    UnmetPairs find(OutcomeChanges changes, RulePairOptions rules, PolicyOptions options) {
        if (most == 0) {
            return UnmetPairs.untold("");
        }
        if (options.translates() || options.assumed().host() != null) {
            return UnmetPairs.untold("files are compared without --nat and --host");
        }
        for (Path file : List.of(rules.old(), rules.fresh())) {
            Path one = RuleList.of(file).file();
            if (!Files.isRegularFile(one) && !Files.isDirectory(one)) {
                return UnmetPairs.untold(one + " is a pipe, which was read; write it into a file");
            }
        }
        SemanticDiff.Asked asked = new SemanticDiff.Asked(false, most, 0, rules.defaultAction());
        return UnmetPairs.of(
                changes,
                wanted -> {
                    try (OpenRules before = rules.reading.open(rules.old());
                            OpenRules after = rules.reading.open(rules.fresh())) {
                        return SemanticDiff.of(
                                before, after, rules.reading.ports.read(), options, asked, wanted);
                    }
                });
    }
}
