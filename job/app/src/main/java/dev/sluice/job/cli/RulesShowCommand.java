package dev.sluice.job.cli;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.RuleTable;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules show}: the rules of a version. */
@Command(
        name = "show",
        description = {
            "Lists the rules of the newest version, or of another that is kept: the first wins.",
            "Columns: id, line, priority, action, the rule in its own words.",
            ""
        })
final class RulesShowCommand extends SluiceCommand {
    @Option(names = "--version", paramLabel = "N", description = "Version (default: the newest).")
    @Range
    private @Nullable Long version;

    /** Its own, since --version means another thing here than everywhere else. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // picocli asks for it
    private boolean help;

    @Mixin private RowOptions rows = new RowOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    @Override
    public Integer call() {
        LinesOut out = LinesOut.all(out());
        RulesTopic topic = new RulesTopic(topics, err());
        RuleSet rules =
                topic.read(open -> version == null ? newest(open, topic.name()) : open.at(version));
        err().printf(
                        "sluice: version %d, %s of %s, default action %s%n",
                        rules.version(),
                        Amount.of(rules.size(), "rule"),
                        rules.name(),
                        rules.defaultAction());
        RowsOut<RuleTable.Row> printed = rows.open(RuleTable.RULES, out);
        for (Rule rule : rules.rules()) {
            if (!printed.row(RuleTable.Row.of(rule))) {
                break; // nobody reads on
            }
        }
        printed.flush();
        return 0;
    }

    private static RuleSet newest(RuleTopic topic, String name) {
        RuleStanding standing = topic.standing();
        RuleSet rules = standing.rules();
        if (rules == null) {
            throw new SluiceException(
                    "topic %s holds no whole rule set; publish one with sluice rules publish --rules FILE"
                            .formatted(name));
        }
        return rules;
    }
}
