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

    @Mixin private RulePublishOptions publish = new RulePublishOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    @Override
    public Integer call() {
        RulesTopic topic = new RulesTopic(topics, err());
        RuleSet target = topic.read(open -> open.at(version));
        try (RulesTopic.Bar bar = topic.bar();
                RulePublisher publisher = topic.publisher(publish.snapshots, false, bar)) {
            RuleStanding base = publisher.look();
            RulesEditing.requireKnown(base, topic.name());
            RuleSet before = RulesEditing.rules(base, target.name(), target.defaultAction());
            RuleDelta delta = VersionDiff.between(before, target).delta();
            VersionPublication next =
                    new VersionPublication(topic, publish, base, before, delta, target);
            if (next.isNeeded()) {
                next.publish(publisher, false, out(), "the rules of version " + version);
            } else {
                next.printNothing(
                        out(),
                        "version %d has the rules of version %d"
                                .formatted(base.version(), version));
            }
            return 0;
        }
    }
}
