package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.hits.InterfaceMap;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules publish}: a rule file into the rules topic. */
@Command(
        name = "publish",
        description = {
            "Publishes a rule file as the next version of the rules topic: its difference from the newest version, "
                    + "or, with --snapshot, all rules. An unchanged file publishes nothing.",
            "The default action of the topic stays, unless --default-action names another.",
            "The rules are compiled first: give the job's engine options. Rules that cannot be served are refused.",
            "The topic is created if it does not exist, and keeps its messages for ever.",
            ""
        })
final class RulesPublishCommand extends SluiceCommand implements PublishingCommand {
    /** Rules whose compilation takes long enough to be told. */
    private static final int LARGE = 10_000;

    @Mixin private RuleOptions rules = new RuleOptions();

    @Mixin private PolicyArguments policy = new PolicyArguments();

    @Mixin private TrackerOption connections = new TrackerOption();

    @Option(
            names = "--interfaces",
            paramLabel = "FILE",
            description =
                    "The file of --interfaces that packets are exported with: rules that name an interface judge packets by its place there. Append lines only; to change others is to number interfaces anew.")
    private @Nullable Path interfaces;

    @Option(names = "--snapshot", description = "Publish all rules, also if the file is unchanged.")
    private boolean snapshot;

    @Option(
            names = "--force",
            description =
                    "Publish rules that the engine cannot serve; jobs keep the version before.")
    private boolean force;

    @Mixin private RulePublication publication = new RulePublication();

    @Mixin private EngineArguments engine = new EngineArguments();

    @Override
    public Integer call() {
        RulesTopic topic = publication.topic();
        ServingCheck check = new ServingCheck(engine.toOptions());
        AskedFacts told =
                interfaces == null
                        ? null
                        : AskedFacts.listed(InterfaceMap.read(interfaces).names());
        RuleFile file =
                rules.read(rules.file(), connections.of(policy.options()).ofMessages(told), err());
        return publication.publish(
                topic, true, publisher -> publish(file, check, topic, publisher));
    }

    private void publish(
            RuleFile file, ServingCheck check, RulesTopic topic, RulePublisher publisher) {
        RuleStanding base = publisher.look();
        if (base.lost()) {
            err().printf(
                            "sluice: the rules of topic %s were deleted up to offset %,d: a new history begins%n",
                            topic.name(), base.start());
        }
        // The file's rules keep ids and places of the base.
        String name = rules.file().toString();
        RuleSet before = base.rulesOr(name, file.defaultAction(rules.defaultAction()));
        RuleDelta delta = RuleDiff.between(before, file.rules());
        RuleContent content = new RuleContent(before.rules());
        content.apply(delta);
        String stands = before.isPolicy() ? RuleSet.DROP : before.defaultAction();
        String action = file.defaultAction(rules.defaultAction(stands));
        if (!base.differs(delta, action) && !snapshot) {
            publication.publishNothing(
                    topic,
                    base,
                    before,
                    "%s is what stands in %s as version %d"
                            .formatted(name, topic.name(), base.version()));
            return;
        }
        RuleSet after = RuleSet.of(name, base.version() + 1, action, content.rules());
        requireServable(check, after);
        String words = Amount.of(after.deciding().size(), "rule") + " of " + name;
        publication.publishVersion(topic, publisher, base, before, delta, after, snapshot, words);
    }

    private void requireServable(ServingCheck check, RuleSet candidate) {
        if (candidate.size() >= LARGE) {
            err().printf("sluice: compiling %,d rules%n", candidate.size());
        }
        check.compile(candidate)
                .ifPresent(
                        reason -> {
                            if (!force) {
                                throw new SluiceException(
                                        reason
                                                + "; nothing was published: change rules or options, or say --force");
                            }
                            say("published all the same: " + reason);
                        });
    }
}
