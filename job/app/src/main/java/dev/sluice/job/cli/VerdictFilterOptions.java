package dev.sluice.job.cli;

import dev.sluice.job.read.VerdictFilter;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose verdicts. */
final class VerdictFilterOptions {
    @Option(
            names = "--rule",
            paramLabel = "ID|LINE",
            description =
                    "Only verdicts of this rule, by its id or its line; none: those that no rule matched.")
    private @Nullable String rule;

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            description = "Only verdicts with this action, in the words of the rule file.")
    private @Nullable String action;

    @Option(
            names = "--outcome",
            paramLabel = "OUTCOME",
            description =
                    "Only verdicts of policies with this outcome: permit, deny, depends, not-judged.")
    private @Nullable VerdictOutcome outcome;

    @Option(
            names = "--address",
            paramLabel = "CIDR",
            description =
                    "Only packets from or to these addresses: 10.1.2.3, 10.1.0.0/16, 2001:db8::/32.")
    @Nullable String address;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description =
                    "Only verdicts with this status: classified, no-rules, history-deleted, late, unknown.")
    private @Nullable String status;

    @Option(
            names = "--version",
            paramLabel = "N",
            description = "Only verdicts of this version of the rules.")
    @Range
    private @Nullable Long version;

    @Option(
            names = "--history",
            paramLabel = "ID",
            description =
                    "Only verdicts of versions of this rule history, by its id or the beginning of it, as rules log has it.")
    private @Nullable String history;

    /** The filter. */
    VerdictFilter toFilter() {
        VerdictFilter filter = new VerdictFilter();
        ifGiven(rule, filter::rule);
        ifGiven(action, filter::action);
        ifGiven(outcome, filter::outcome);
        ifGiven(address, filter::address);
        ifGiven(status, filter::status);
        ifGiven(version, filter::version);
        ifGiven(history, filter::history);
        return filter;
    }

    private static <T> void ifGiven(@Nullable T value, Consumer<T> condition) {
        if (value != null) {
            condition.accept(value);
        }
    }
}
