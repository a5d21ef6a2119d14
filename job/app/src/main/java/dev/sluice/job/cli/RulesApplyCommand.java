package dev.sluice.job.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.EditFollower;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.policy.io.Amount;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice rules apply}: changes from standard input into the rules topic, as they come. */
@Command(
        name = "apply",
        description = {
            "Publishes changes of rules from standard input as they come, until it ends, in transactions of up to "
                    + "1,000 changes or 10 ms.",
            "A change is a line of JSON:",
            "  {\"add\": \"RULE\"}           at the end of its priority, or with \"first\": true, \"before\": ID, \"after\": ID",
            "  {\"remove\": ID}",
            "  {\"change\": ID, \"to\": \"RULE\"}",
            "RULE is a line of a rule file; for ID a line number or a rule's text does, too. A line that cannot be "
                    + "carried out is named on stderr and passed over (exit status 1 at the end). Each commit "
                    + "prints {\"version\":..., \"changes\":..., \"line\":...}: lines up to that one are published.",
            "Whether a rule can be served is only estimated; sluice rules publish compiles.",
            ""
        })
final class RulesApplyCommand extends SluiceCommand implements Interruptible {
    /** How long a broker may be away, as for a load. */
    private static final Duration BROKER_AWAY = Duration.ofMinutes(10);

    @Mixin private PortOptions ports = new PortOptions();

    @Option(
            names = "--default-action",
            paramLabel = "ACTION",
            description =
                    "Action of a packet that no rule matches, for a topic without rules (default: drop).")
    private @Nullable String defaultAction;

    @Option(
            names = "--heartbeat",
            paramLabel = "DURATION",
            converter = Times.Pause.class,
            description =
                    "Send a heartbeat when nothing was published for so long, as in 1s, so that packets of live jobs in event time do not wait (default: never).")
    private @Nullable Duration heartbeat;

    @Option(names = "--force", description = "Publish also what is estimated not to be served.")
    private boolean force;

    @Mixin private SnapshotOptions snapshots = new SnapshotOptions();
    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);
    @Mixin private EngineArguments engine = new EngineArguments();

    @Override
    public Integer call() throws Exception {
        RulesTopic topic = new RulesTopic(topics, err());
        ServingCheck check = new ServingCheck(engine.toOptions());
        topic.awaitBroker(BROKER_AWAY);
        try (topic;
                RulePublisher publisher = topic.publisher(snapshots, true)) {
            publisher.waitForBroker(BROKER_AWAY, topic::say);
            RuleStanding base = publisher.takeOver();
            RuleSet before =
                    topic.editable(
                            base,
                            "standard input",
                            defaultAction == null ? RuleSet.DROP : defaultAction);
            requireDefaultAction(before.defaultAction());
            RuleContent content = new RuleContent(before.rules());
            EditFollower follower =
                    new EditFollower(
                            publisher,
                            base.version(),
                            content,
                            before.name(),
                            before.defaultAction(),
                            rule -> {
                                if (!force) {
                                    check.estimate(rule, content.size() + 1);
                                }
                            },
                            out(),
                            err());
            EditFollower.Result result =
                    follower.run(
                            new BufferedReader(new InputStreamReader(System.in, UTF_8), 1 << 16),
                            ports.read(),
                            heartbeat == null ? Duration.ZERO : heartbeat);
            err().printf(
                            "sluice: %s published, up to version %d; %s refused; %,.0f changes/s%n",
                            Amount.of(result.changes(), "change"),
                            result.version(),
                            Amount.of(result.refused(), "line"),
                            result.changesPerSecond());
            return result.refused() == 0 ? 0 : 1;
        }
    }

    private void requireDefaultAction(String there) {
        if (defaultAction != null && !defaultAction.equals(there)) {
            throw new UsageException(
                    "--default-action %s is not the topic's, %s, and apply changes rules only; publish a file with it"
                            .formatted(defaultAction, there));
        }
    }

    @Override
    public String whereItStands() {
        return "what the last line on standard output names is published; 'sluice rules log' tells whether more is";
    }
}
