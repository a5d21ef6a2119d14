package dev.sluice.job.cli;

import dev.sluice.job.kafka.TopicScan;
import dev.sluice.job.report.HostNames;
import dev.sluice.job.report.LabelForm;
import dev.sluice.job.report.OutcomeChange;
import dev.sluice.job.report.ShadowCounts;
import dev.sluice.job.report.TopReport;
import dev.sluice.job.table.LinesOut;
import dev.sluice.policy.io.Amount;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice rules shadow}: packets to which a job's shadow gives another outcome. */
@Command(
        name = "shadow",
        description = {
            "Lists the packets of a job that have another outcome by the rules of its shadow (run --shadow-rules), by pair of rules, most packets first. "
                    + "The counts are those of the job's last checkpoint.",
            "Rows are those of whatif --by rule, without connections. Exit status 1 if a message cannot be read.",
            ""
        })
final class RulesShadowCommand extends SluiceCommand {
    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.SHADOW);

    @ArgGroup private ShownRows shown = new ShownRows();

    @Mixin private RowOptions rows = new RowOptions(RowOptions.Format.MARKDOWN);

    @Override
    public Integer call() {
        ShadowCounts counts = new ShadowCounts();
        try (TopicScan scan =
                new TopicScan(
                        topics.kafka(),
                        topics.name(TopicOptions.Topic.SHADOW),
                        "earliest",
                        false)) {
            scan.forEach(counts);
        }
        TopReport<OutcomeChange> report =
                new TopReport<>(counts.pairs(), HostNames.NONE, LabelForm.SHADOW, shown.most());
        report.print(form -> rows.open(form, LinesOut.all(out()), form::markdown));
        say(report.describe(counts.describe()));
        if (counts.unreadable() > 0) {
            say(
                    "no counts of a shadow: %s; check --shadow-topic"
                            .formatted(Amount.of(counts.unreadable(), "message")));
        }
        return counts.unreadable() == 0 ? 0 : 1;
    }
}
