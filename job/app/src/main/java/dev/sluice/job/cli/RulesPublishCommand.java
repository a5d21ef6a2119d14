package dev.sluice.job.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.rules.EditFollower;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleTable;
import dev.sluice.job.rules.ServingCheck;
import dev.sluice.job.ruletopic.RuleDraft;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.job.ruletopic.RuleStanding;
import dev.sluice.operators.rules.history.RuleDiff;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice rules publish}: a rule file, or changes as they come, into the rules topic. */
@Command(
        name = "publish",
        description = {
            "Publishes a rule file as the next version of the rules topic: what differs from the version that "
                    + "stands there, or, with --snapshot, all of it. An unchanged file publishes nothing.",
            "The default action stays what it is in the topic, unless --default-action says another.",
            "The rules are compiled first, with the job's engine options: what cannot be served is refused.",
            "The topic is created if it does not exist, kept for ever.",
            "",
            "With --follow it reads changes from standard input, lines of JSON, until they end, and publishes "
                    + "them in transactions of up to 1,000 changes or 10 ms:",
            "  {\"add\": \"RULE\"}           at the end of its priority, or with \"first\": true, \"before\": ID, \"after\": ID",
            "  {\"remove\": ID}",
            "  {\"change\": ID, \"to\": \"RULE\"}",
            "RULE is a line of a rule file; for ID a line number or a rule's text does, too. A line that cannot be "
                    + "carried out is named on stderr and passed over (exit status 1 at the end). Each commit "
                    + "prints {\"version\":..., \"changes\":..., \"line\":...}: lines up to that one are published.",
            ""
        })
final class RulesPublishCommand implements Callable<Integer>, Interruptible {
    /** Rules whose compilation takes long enough to be told. */
    private static final int LARGE = 10_000;

    /** How long a broker may be away while changes are followed, as for a load. */
    private static final Duration BROKER_AWAY = Duration.ofMinutes(10);

    @Spec private CommandSpec spec;

    @Mixin private RuleOptions rules = new RuleOptions();

    @Option(names = "--snapshot", description = "Publish all rules, also if the file is unchanged.")
    private boolean snapshot;

    @Option(names = "--follow", description = "Publish changes from standard input.")
    private boolean follow;

    @Option(
            names = "--heartbeat",
            paramLabel = "DURATION",
            converter = Times.Pause.class,
            description = {
                "With --follow: when nothing was published for so long, as in 1s, say in the topic that no other",
                "version comes into force up to now, so that packets of live jobs in event time wait for none",
                "(default: never)."
            })
    private @Nullable Duration heartbeat;

    @Option(
            names = "--force",
            description =
                    "Publish rules that the engine cannot serve; jobs keep the version before.")
    private boolean force;

    @Mixin private RulePublishOptions publish = new RulePublishOptions();

    @Mixin private TopicOptions topics = new TopicOptions(TopicOptions.Topic.RULES);

    @Mixin private EngineArguments engine = new EngineArguments();

    @Override
    public Integer call() throws Exception {
        PrintWriter err = spec.commandLine().getErr();
        RulesTopic topic = new RulesTopic(topics, err);
        ServingCheck check = new ServingCheck(engine.toOptions());
        if (!follow) {
            if (heartbeat != null) {
                throw new UsageException(
                        "--heartbeat belongs to --follow; without it, run sluice rules heartbeat --every "
                                + Times.words(heartbeat));
            }
            RuleFile file = rules.read(err);
            try (RulesTopic.Bar bar = topic.bar();
                    RulePublisher publisher = topic.publisher(publish, true, bar)) {
                publishFile(file, topic, publisher, check);
            }
            return 0;
        }
        if (rules.isGiven() || snapshot || publish.effectiveTimeNs() != null) {
            throw new UsageException(
                    "--follow takes its changes from standard input; publish a file without it, and first");
        }
        topic.awaitBroker(BROKER_AWAY);
        try (RulesTopic.Bar bar = topic.bar();
                RulePublisher publisher = topic.publisher(publish, true, bar)) {
            publisher.waitForBroker(BROKER_AWAY, topic::say);
            return follow(publisher, check, heartbeat == null ? Duration.ZERO : heartbeat);
        }
    }

    private void publishFile(
            RuleFile file, RulesTopic topic, RulePublisher publisher, ServingCheck check) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        String name = rules.file().toString();
        RuleStanding base = publisher.look();
        if (base.lost()) {
            err.printf(
                    "sluice: the rules of topic %s were deleted up to offset %,d: a new history begins%n",
                    topic.name(), base.start());
        }
        RuleSet before = base.rules();
        if (before == null) {
            before = RuleSet.of(name, 0, rules.defaultAction(), List.of());
        }
        String defaultAction = rules.defaultAction(before.defaultAction());
        RuleDelta delta = RuleDiff.between(before, file.rules());
        boolean same =
                delta.isEmpty() && base.whole() && before.defaultAction().equals(defaultAction);
        if (same && !snapshot) {
            publish.print(
                    out,
                    RulePublishOptions.told(
                            topic.name(), null, base.version(), before.size(), 0, 0),
                    "%s is what stands in %s as version %d: nothing published"
                            .formatted(name, topic.name(), base.version()));
            return;
        }
        RuleContent content = new RuleContent(before.rules());
        content.apply(delta);
        List<Rule> after = content.rules();
        if (after.size() >= LARGE) {
            err.printf("sluice: compiling %,d rules%n", after.size());
            err.flush();
        }
        requireServable(check, RuleSet.of(name, base.version() + 1, defaultAction, after));
        publisher.takeOver(base);
        RulePublisher.Receipt receipt =
                publisher.publish(
                        List.of(
                                snapshot || !base.whole()
                                        ? RuleDraft.snapshot(
                                                name,
                                                defaultAction,
                                                publish.effectiveTimeNs(),
                                                after)
                                        : RuleDraft.delta(
                                                name,
                                                defaultAction,
                                                publish.effectiveTimeNs(),
                                                delta)),
                        () -> after);
        publish.print(
                out,
                RulePublishOptions.told(
                        topic.name(),
                        receipt,
                        receipt.version(),
                        after.size(),
                        delta.inserts().size(),
                        delta.removes().size()),
                "%s of %s published to %s as version %d: %,d put, %,d removed%s, %,d bytes%s"
                        .formatted(
                                Amount.of(after.size(), "rule"),
                                name,
                                topic.name(),
                                receipt.version(),
                                delta.inserts().size(),
                                delta.removes().size(),
                                RuleTable.ofDefaultAction(before.defaultAction(), defaultAction),
                                receipt.bytes(),
                                receipt.snapshot() ? ", with a snapshot" : ""));
        topic.trim(publisher);
    }

    private void requireServable(ServingCheck check, RuleSet candidate) {
        check.compile(candidate)
                .ifPresent(
                        reason -> {
                            if (!force) {
                                throw new SluiceException(
                                        reason
                                                + "; nothing was published: change rules or options, or say --force");
                            }
                            spec.commandLine()
                                    .getErr()
                                    .println("sluice: published all the same: " + reason);
                        });
    }

    private int follow(RulePublisher publisher, ServingCheck check, Duration pause)
            throws Exception {
        RuleStanding base = publisher.takeOver();
        RulesEditing.requireKnown(base, topics.name(TopicOptions.Topic.RULES));
        RuleSet before = base.rules();
        String defaultAction = before == null ? rules.defaultAction() : before.defaultAction();
        if (!rules.defaultAction(defaultAction).equals(defaultAction)) {
            throw new UsageException(
                    "--default-action %s is not the topic's, %s, and --follow changes rules only; publish a file with it"
                            .formatted(rules.defaultAction(), defaultAction));
        }
        RuleContent content = new RuleContent(before == null ? List.of() : before.rules());
        EditFollower follower =
                new EditFollower(
                        publisher,
                        base.version(),
                        content,
                        before == null ? "standard input" : before.name(),
                        defaultAction,
                        rule -> {
                            if (!force) {
                                check.estimate(rule, content.size() + 1);
                            }
                        },
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8), 1 << 16);
        EditFollower.Result result = follower.run(in, rules.ports(), pause);
        spec.commandLine()
                .getErr()
                .printf(
                        "sluice: %s published, up to version %d; %s refused; %,.0f changes/s%n",
                        Amount.of(result.changes(), "change"),
                        result.version(),
                        Amount.of(result.refused(), "line"),
                        result.changesPerSecond());
        return result.refused() == 0 ? 0 : 1;
    }

    @Override
    public String whereItStands() {
        return follow
                ? "what the last line on standard output names is published; 'sluice rules log' tells whether more is"
                : "'sluice rules log' tells whether its version is published; it is there whole or not at all";
    }
}
