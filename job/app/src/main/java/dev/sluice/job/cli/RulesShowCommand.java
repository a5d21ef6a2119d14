package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.PolicyTable;
import dev.sluice.job.rules.RuleListing;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice rules show}: the rules of a version, or of a file. */
@Command(
        name = "show",
        description = {
            "Lists the rules of the newest version, or of another that is kept: the first wins.",
            "Columns: id, line, priority, action, the rule in its own words.",
            "With FILE: the rules of a file, of a policy of chains with the columns line, chain, action, packets, condition, rule.",
            ""
        })
final class RulesShowCommand extends SluiceCommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE[#LIST]",
            description = "A rule file; none: the rules topic is read.")
    private @Nullable Path file;

    @Mixin private RuleFileOptions reading = new RuleFileOptions();

    @Mixin private PolicyArguments policy = new PolicyArguments();

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

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional("none: FILE is read", TopicOptions.Topic.RULES);

    @Override
    public Integer call() {
        if (file != null) {
            show(file);
            return 0;
        }
        if (!topics.isGiven()) {
            throw new ParameterException(
                    spec().commandLine(),
                    "name a rule file, or a Kafka cluster with --bootstrap HOST:PORT");
        }
        RulesTopic topic = new RulesTopic(topics, err());
        RuleSet rules =
                topic.read(open -> version == null ? newest(open, topic.name()) : open.at(version))
                        .deciding();
        err().printf(
                        "sluice: version %d, %s of %s, default action %s%n",
                        rules.version(),
                        Amount.of(rules.size(), "rule"),
                        rules.name(),
                        rules.defaultAction());
        print(rules.rules().stream().map(RuleListing.Row::of).toList(), RuleListing.RULES);
        return 0;
    }

    private void show(Path from) {
        try (OpenRules text = reading.open(from)) {
            if (text.isPolicy()) {
                PolicyFile chains = PolicyFile.read(text, policy.options());
                chains.warnings().forEach(err()::println);
                say(chains.summary());
                print(chains.rules(), PolicyTable.RULES);
            } else {
                RuleFile rules = RuleFile.read(text, reading.ports.read(), policy.options());
                rules.warnings().forEach(err()::println);
                print(rules.rules().stream().map(RuleListing.Row::of).toList(), RuleListing.RULES);
            }
        }
    }

    private <R> void print(List<R> all, RowForm<R> form) {
        RowsOut<R> printed = rows.open(form, LinesOut.all(out()));
        for (R row : all) {
            if (!printed.row(row)) {
                break; // nobody reads on
            }
        }
        printed.flush();
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
