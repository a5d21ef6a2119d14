package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.policy.io.SluiceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules promote}: the newest rules of another topic as a new version. */
@Command(
        name = "promote",
        description = {
            "Publishes the newest rules of another topic, as that of a job's --shadow-rules, as one new version: what differs from the newest one. "
                    + "Rules that are in force keep their ids. sluice rules rollback takes the version back.",
            ""
        })
final class RulesPromoteCommand extends SluiceCommand implements PublishingCommand {
    @Option(
            names = "--from",
            required = true,
            paramLabel = "TOPIC",
            description = "Rules topic whose newest rules are to be in force.")
    private String from = "";

    @Mixin private RulePublication publication = new RulePublication();

    @Override
    public Integer call() {
        RulesTopic topic = publication.topic();
        if (from.equals(topic.name())) {
            throw new UsageException(
                    "--from and --rules-topic both name %s; name two topics".formatted(from));
        }
        RulesTopic other = topic.other(from);
        RuleStanding standing = other.read(open -> open.standing());
        other.requireKnown(standing);
        RuleSet target = standing.rules();
        if (target == null) {
            throw new SluiceException(
                    "topic %s holds no rules; publish some with sluice rules publish --rules-topic %s"
                            .formatted(from, from));
        }
        // As where a file is published, rules that stand keep their ids, and so their hits.
        return publication.replace(
                topic,
                true,
                target,
                (before, after) -> RuleDiff.between(before, after.rules()),
                "version %d of %s".formatted(target.version(), from));
    }
}
