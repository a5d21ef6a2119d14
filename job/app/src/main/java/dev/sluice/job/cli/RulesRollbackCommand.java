package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
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
        return publication.publish(topic, false, publisher -> publish(topic, publisher, target));
    }

    private void publish(RulesTopic topic, RulePublisher publisher, RuleSet target) {
        RuleStanding base = publisher.look();
        topic.requireKnown(base);
        RuleSet before = base.rulesOr(target.name(), target.defaultAction());
        RuleDelta delta = VersionDiff.between(before, target).delta();
        if (base.differs(delta, target.defaultAction())) {
            String rules = "the rules of version " + version;
            publication.publishVersion(topic, publisher, base, before, delta, target, false, rules);
        } else {
            publication.publishNothing(
                    topic,
                    base,
                    before,
                    "version %d has the rules of version %d".formatted(base.version(), version));
        }
    }
}
