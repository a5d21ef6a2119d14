package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.job.rules.RuleListing.Row;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.operators.rules.history.VersionDiff;
import dev.sluice.policy.io.Amount;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice rules diff}: what became of the rules between two versions. */
@Command(
        name = "diff",
        description = {
            "Lists how the rules of version B differ from those of version A: - removed, + added, < and > "
                    + "changed, before and after. Rules of which only the line moved are counted, and not listed.",
            ""
        })
final class RulesDiffCommand extends SluiceCommand {
    @Parameters(index = "0", paramLabel = "A", description = "A version.")
    @Range
    private long from;

    @Parameters(index = "1", paramLabel = "B", description = "Another version.")
    @Range
    private long to;

    @Mixin private RowOptions rows = new RowOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    @Override
    public Integer call() {
        RowsOut<Row> out = rows.open(RuleListing.DIFFERENCES, LinesOut.all(out()));
        RulesTopic topic = new RulesTopic(topics, err());
        List<RuleSet> versions = topic.read(open -> List.of(open.at(from), open.at(to)));
        RuleSet before = versions.get(0);
        RuleSet after = versions.get(1);
        VersionDiff changes = VersionDiff.between(before.deciding(), after.deciding());
        if (!before.defaultAction().equals(after.defaultAction())) {
            out.row(new Row("<", null, before.defaultAction()));
            out.row(new Row(">", null, after.defaultAction()));
        }
        changes.removed().forEach(rule -> out.row(Row.of("-", rule)));
        changes.added().forEach(rule -> out.row(Row.of("+", rule)));
        for (VersionDiff.Change change : changes.changed()) {
            out.row(Row.of("<", change.before()));
            out.row(Row.of(">", change.after()));
        }
        out.flush();
        spec().commandLine()
                .getErr()
                .printf(
                        "sluice: from version %d to %d: %s removed, %,d added, %,d changed, %,d on another line%s%n",
                        from,
                        to,
                        Amount.of(changes.removed().size(), "rule"),
                        changes.added().size(),
                        changes.changed().size(),
                        changes.moved().size(),
                        RuleListing.ofDefaultAction(before.defaultAction(), after.defaultAction()));
        return 0;
    }
}
