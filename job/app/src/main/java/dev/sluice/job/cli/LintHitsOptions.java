package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.LineUses;
import dev.sluice.job.hits.StatisticsTopic;
import dev.sluice.job.hits.TopicRules;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.questions.UsedParts;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of lint that tell the packets which hit the rules: of captures, or of a job. */
final class LintHitsOptions {
    @Option(
            names = "--hits",
            paramLabel = "CAPTURE",
            description =
                    "Capture whose packets tell which rules are never hit, which deny packets that come, and which take more than comes; may be given several times.")
    private List<Path> captures = new ArrayList<>();

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional(
                    "the job's statistics tell which rules are never hit",
                    TopicOptions.Topic.STATISTICS,
                    TopicOptions.Topic.RULES);

    @Mixin final CapturedPolicy policy = new CapturedPolicy();
    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin private HeaderOptions headers = new HeaderOptions();
    @Mixin private ConnectionOptions connections = new ConnectionOptions();

    /** Returns whether hits are asked for. */
    boolean isGiven() {
        return !captures.isEmpty() || topics.isGiven();
    }

    /** The captures that are read. */
    List<Path> captures() {
        return captures;
    }

    /** The options of the policy that lint asks. */
    PolicyOptions options() {
        if (captures.isEmpty()) {
            connections.requireNone();
            if (policy.interfaces.isGiven()) {
                throw new UsageException(
                        "--interfaces: names the interfaces of captures; leave it out, or add --hits CAPTURE");
            }
        }
        return captures.isEmpty() ? policy.withoutCaptures() : policy.options();
    }

    /**
     * Adds the hits.
     *
     * @param file the rule file, which is read once more
     * @param err takes warnings, and how captures ended
     * @return whether all captures ended cleanly
     */
    boolean addTo(
            LineUses uses,
            Path file,
            RuleFileOptions reading,
            String defaultAction,
            PrintWriter err)
            throws InterruptedException {
        if (topics.isGiven()) {
            if (!captures.isEmpty()) {
                throw new UsageException(
                        "--hits and --bootstrap both tell what hit the rules; leave one of them out");
            }
            KnownRules rules = TopicRules.read(topics.kafka(), topics.names().rules());
            StatisticsTopic statistics =
                    StatisticsTopic.read(topics.kafka(), topics.names().statistics());
            uses.add(rules, statistics.of(rules.history()));
            report(uses, err);
            return true;
        }
        if (captures.isEmpty()) {
            return true;
        }
        try (CaptureHits hits = open(file, reading, defaultAction, err)) {
            hits.stating(UsedParts.wordBits());
            boolean clean =
                    CaptureEnds.report(
                            captures,
                            VerdictRun.count(
                                    captures, hits, (batch, found) -> uses.add(batch, found, hits)),
                            err);
            if (hits.packets() > 0) { // else that no rule was hit would say nothing
                uses.add(new KnownRules("", hits.ruleSet(), Map.of()), hits.take());
                report(uses, err);
            }
            ConnectionSum tracked = hits.connections();
            if (tracked != null) {
                err.println("sluice: " + tracked.describe());
            }
            return clean;
        }
    }

    private static void report(LineUses uses, PrintWriter err) {
        if (uses.depending() > 0) {
            err.println(
                    "sluice: %s of which no header tells the rule; a '?' behind 0 packets says that the rule may have had them"
                            .formatted(Amount.of(uses.depending(), "packet")));
        }
    }

    private CaptureHits open(
            Path file, RuleFileOptions reading, String defaultAction, PrintWriter err) {
        PolicyOptions options = connections.of(policy.options());
        try (OpenRules text = reading.open(file)) {
            if (!Files.isRegularFile(text.file()) && !Files.isDirectory(text.file())) {
                throw new UsageException(
                        "--hits: lint reads %s twice; name a file instead of a pipe"
                                .formatted(text.file()));
            }
            RuleFile rules =
                    text.isPolicy()
                            ? PolicyFile.read(text, options).asRules()
                            : RuleFile.read(text, reading.ports.read(), options);
            RuleSet set = rules.toRuleSet(file.toString(), 1, rules.defaultAction(defaultAction));
            headers.warn(rules.isPolicy() ? List.of() : set.rules(), err);
            return new CaptureHits(
                    set,
                    headers.parsing(),
                    inPort.number,
                    policy.facts(rules.asked(), inPort, headers, err),
                    connections.tracking(set.isPolicy(), set.rules(), err));
        }
    }
}
