package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.DifferenceTable;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.questions.DiffPair;
import dev.sluice.policy.questions.SemanticDiff;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Comparison of two rule files by the packets about which they decide otherwise. */
final class SemanticOptions {
    private enum By {
        OUTCOME,
        RULE
    }

    @Option(
            names = "--semantic",
            description =
                    "Compare two rule files by the packets about which they decide otherwise.")
    private boolean asked;

    @Option(
            names = "--by",
            paramLabel = "BY",
            description =
                    "With --semantic: packets differ by their outcome, or already if another rule decides alike: outcome or rule (default: outcome).")
    private @Nullable By by;

    @Mixin private FailOnOption failOn = new FailOnOption();

    @Option(
            names = "--top",
            paramLabel = "N",
            description =
                    "With --semantic: list the N largest pairs of lines (default: 1000); the others are counted.")
    @Range(from = 1, to = 1_000_000)
    private @Nullable Integer top;

    @Option(
            names = "--boxes",
            paramLabel = "N",
            description =
                    "With --semantic: list at most N boxes of packets, those of the largest pairs first, in JSON and Markdown (default: 0).")
    @Range(to = 100_000)
    private @Nullable Integer boxes;

    @Option(
            names = "--default-action",
            paramLabel = "ACTION",
            description =
                    "With --semantic: action of packets that no rule matches, where rules stand for themselves (default: drop).")
    private @Nullable String defaultAction;

    @Mixin private RuleFileOptions reading = new RuleFileOptions();

    @Mixin private PolicyArguments policy = new PolicyArguments();

    private static final int MOST_PAIRS = 1_000;

    /**
     * Returns whether files are compared.
     *
     * @param topic whether brokers are named
     * @throws UsageException if some options are of files, and others are not
     */
    boolean isAsked(boolean topic) {
        if (asked && topic) {
            throw new UsageException(
                    "--semantic compares rule files; leave out --bootstrap, or write a version into a file by rules show --version");
        }
        boolean some = by != null || top != null || boxes != null || defaultAction != null;
        if (!asked && (some || failOn.isGiven())) {
            throw new UsageException(
                    "--by, --fail-on, --top, --boxes and --default-action are of rule files; add --semantic");
        }
        return asked;
    }

    /** Compares files, prints the rows and a summary; returns the exit status. */
    int compare(Path old, Path fresh, RowsOut<DiffPair> rows, SluiceCommand command) {
        PolicyOptions options = policy.options();
        if (options.translates() || options.assumed().host() != null) {
            throw new UsageException(
                    "--semantic compares the rules of each hook as they stand; leave out --nat and --host");
        }
        SemanticDiff.Asked question =
                new SemanticDiff.Asked(
                        by == By.RULE,
                        top == null ? MOST_PAIRS : top,
                        boxes == null ? 0 : boxes,
                        defaultAction == null ? RuleSet.DROP : defaultAction);
        SemanticDiff diff;
        try (OpenRules before = reading.open(old);
                OpenRules after = reading.open(fresh)) {
            diff = SemanticDiff.of(before, after, reading.ports.read(), options, question);
        }
        diff.warnings().forEach(command.err()::println);
        for (DiffPair pair : diff.pairs()) {
            if (!rows.row(pair)) {
                break;
            }
        }
        rows.flush();
        DifferenceTable.summary(diff, old, fresh).forEach(command::say);
        return failOn.fails(diff.mayDeny(), diff.mayPermit(), !diff.isEmpty()) ? 1 : 0;
    }
}
