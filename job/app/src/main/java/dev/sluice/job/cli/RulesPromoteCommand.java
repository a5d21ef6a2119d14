package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.ruletopic.RulePublisher;
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
        return publication.publish(topic, true, publisher -> publish(topic, publisher, target));
    }

    private void publish(RulesTopic topic, RulePublisher publisher, RuleSet target) {
        RuleStanding base = publisher.look();
        topic.requireKnown(base);
        RuleSet before = base.rulesOr(target.name(), target.defaultAction());
        // As where a file is published, rules that stand keep their ids, and so their hits.
        RuleDelta delta = RuleDiff.between(before, target.rules());
        String rules = "version %d of %s".formatted(target.version(), from);
        if (base.differs(delta, target.defaultAction())) {
            RuleContent content = new RuleContent(before.rules());
            content.apply(delta);
            RuleSet after =
                    RuleSet.of(
                            target.name(),
                            base.version() + 1,
                            target.defaultAction(),
                            content.rules());
            publication.publishVersion(topic, publisher, base, before, delta, after, false, rules);
        } else {
            publication.publishNothing(
                    topic,
                    base,
                    before,
                    "version %d has the rules of %s".formatted(base.version(), rules));
        }
    }
}
