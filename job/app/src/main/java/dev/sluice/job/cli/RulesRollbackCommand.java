package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.history.VersionDiff;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice rules rollback}: an earlier version's rules as a new version. */
@Command(
        name = "rollback",
        description = {
            "Publishes the rules of an earlier version as a new version: what differs from the newest one. "
                    + "The versions between stay in the history.",
            ""
        })
final class RulesRollbackCommand extends SluiceCommand implements PublishingCommand {
    @Parameters(paramLabel = "N", description = "Version whose rules are to be in force again.")
    @Range
    private long version;

    @Mixin private RulePublication publication = new RulePublication();

    @Override
    public Integer call() {
        RulesTopic topic = publication.topic();
        RuleSet target = topic.read(open -> open.at(version));
        return publication.replace(
                topic,
                false,
                target,
                (before, after) -> VersionDiff.between(before, after).delta(),
                "version " + version);
    }
}
