package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.rules.RuleTable;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.job.ruletopic.RuleTopic;
import dev.sluice.operators.rules.history.VersionDiff;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice rules rollback}: an earlier version's rules as a new version. */
@Command(
        name = "rollback",
        description = {
            "Publishes the rules of an earlier version as a new version: what differs from the newest one. "
                    + "The versions between stay in the history.",
            ""
        })
final class RulesRollbackCommand implements Callable<Integer>, Interruptible {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "N", description = "Version whose rules are to be in force again.")
    @Range
    private long version;

    @Mixin private RulePublishOptions publish = new RulePublishOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        RulesTopic topic = new RulesTopic(topics, spec.commandLine().getErr());
        RuleSet target;
        try (RulesTopic.Bar bar = topic.bar();
                RuleTopic open = topic.open(bar)) {
            target = open.at(version);
        }
        try (RulesTopic.Bar bar = topic.bar();
                RulePublisher publisher = topic.publisher(publish, false, bar)) {
            RuleStanding base = publisher.look();
            RulesEditing.requireKnown(base, topic.name());
            RuleSet before =
                    base.rules() == null
                            ? RuleSet.of(target.name(), 0, target.defaultAction(), List.of())
                            : base.rules();
            VersionDiff changes = VersionDiff.between(before, target);
            if (changes.isEmpty()
                    && base.whole()
                    && before.defaultAction().equals(target.defaultAction())) {
                publish.print(
                        out,
                        RulePublishOptions.told(
                                topic.name(), null, base.version(), before.size(), 0, 0),
                        "version %d has the rules of version %d: nothing published"
                                .formatted(base.version(), version));
                return 0;
            }
            RuleDelta delta = changes.delta();
            publisher.takeOver(base);
            RulePublisher.Receipt receipt =
                    publisher.publish(
                            List.of(
                                    RuleDraft.delta(
                                            target.name(),
                                            target.defaultAction(),
                                            publish.effectiveTimeNs(),
                                            delta)),
                            target::rules);
            publish.print(
                    out,
                    RulePublishOptions.told(
                            topic.name(),
                            receipt,
                            receipt.version(),
                            target.size(),
                            delta.inserts().size(),
                            delta.removes().size()),
                    "the rules of version %d published to %s as version %d: %,d put, %,d removed%s, %,d bytes"
                            .formatted(
                                    version,
                                    topic.name(),
                                    receipt.version(),
                                    delta.inserts().size(),
                                    delta.removes().size(),
                                    RuleTable.ofDefaultAction(
                                            before.defaultAction(), target.defaultAction()),
                                    receipt.bytes()));
            topic.trim(publisher);
            return 0;
        }
    }

    @Override
    public String whereItStands() {
        return "'sluice rules log' tells whether its version is published; it is there whole or not at all";
    }
}
