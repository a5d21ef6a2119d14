package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitReport;
import dev.sluice.job.hits.HitRow;
import dev.sluice.job.hits.HitTable;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.StatisticsTopic;
import dev.sluice.job.hits.TopicRules;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.RuleStatistics;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice rules hits}: what hit each rule, and which rules nothing hit. */
@Command(
        name = "hits",
        description = {
            "Lists packets, bytes, first and last hit of each rule, rules that were never hit too, and of the "
                    + "default action: as a job counted them in the statistics topic of a Kafka cluster, or of "
                    + "captures, which are classified here under --rules.",
            "Rules are named by their line and text in their file. Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class RulesHitsCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4; none: the statistics topic is read.")
    private List<Path> captures = List.of();

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka brokers, separated by commas.")
    private @Nullable String bootstrap;

    @Mixin private KafkaConfigOption config = new KafkaConfigOption();

    @Option(
            names = "--stats-topic",
            paramLabel = "TOPIC",
            description =
                    "Default "
                            + TopicNames.STATISTICS
                            + ", with --windows "
                            + TopicNames.STATISTICS_WINDOWS
                            + ".")
    private @Nullable String statisticsTopic;

    @Option(
            names = "--rules-topic",
            paramLabel = "TOPIC",
            defaultValue = TopicNames.RULES,
            description =
                    "Topic of the rules, where --rules names no file (default ${DEFAULT-VALUE}).")
    private String rulesTopic = TopicNames.RULES;

    @Option(
            names = "--windows",
            description = "List the hits in each window that run --stats-window counted.")
    private boolean windows;

    @Option(names = "--never", description = "List only the rules that were never hit.")
    private boolean never;

    @Option(
            names = "--sort",
            paramLabel = "BY",
            defaultValue = "packets",
            description =
                    "packets, bytes, last (hit last first) or line (default ${DEFAULT-VALUE}).")
    private String sort = "packets";

    @Option(names = "--json", description = "Print one JSON object a rule and line.")
    private boolean json;

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets of captures, which do not tell it.")
    private @Nullable Integer inPort;

    @Mixin private HeaderOptions headers = new HeaderOptions();

    private boolean clean = true;

    @Override
    public Integer call() {
        HitReport.Order order = Choice.parse("--sort", sort, HitReport.Order.class);
        UsageException.requirePort("--in-port", inPort);
        if (windows && (never || !captures.isEmpty())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--windows lists hits of a topic; leave out "
                            + (never ? "--never" : "the captures"));
        }
        if (captures.isEmpty()) {
            topic(order);
        } else {
            captures(order);
        }
        return clean ? 0 : 1;
    }

    private void captures(HitReport.Order order) {
        PrintWriter err = spec.commandLine().getErr();
        RuleSet rules = fileRules();
        headers.warn(rules.rules(), err);
        try (CaptureHits hits = new CaptureHits(rules, headers.parsing(), inPort)) {
            for (Path capture : captures) {
                CaptureEnd end = hits.add(capture);
                if (!end.isClean()) {
                    err.println("sluice: " + end.describeClassified(capture.toString()));
                    clean = false;
                }
            }
            if (!clean && hits.packets() == 0) {
                return; // that no rule was hit would say nothing
            }
            report(new KnownRules("", rules, Map.of()), hits.take(), order);
            if (hits.shutTunnels().sum() > 0) {
                err.println("sluice: " + hits.shutTunnels().describe());
            }
            if (hits.unclassified() > 0) {
                err.printf(
                        "sluice: not counted, as it cannot be classified: %s; sluice headers says why%n",
                        Amount.of(hits.unclassified(), "packet"));
            }
        }
    }

    private RuleSet fileRules() {
        return ruleOptions
                .read(spec.commandLine().getErr())
                .toRuleSet(ruleOptions.file().toString(), 1, ruleOptions.defaultAction());
    }

    private void topic(HitReport.Order order) {
        String brokers = bootstrap;
        if (brokers == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "name captures with --rules FILE, or a Kafka cluster with --bootstrap HOST:PORT");
        }
        String topic = statisticsTopic;
        if (topic == null) {
            topic = windows ? TopicNames.STATISTICS_WINDOWS : TopicNames.STATISTICS;
        }
        boolean fromFile = ruleOptions.isGiven();
        KafkaClients kafka = config.clients(brokers, spec.commandLine().getErr());
        try (KafkaAccess access = new KafkaAccess(kafka)) {
            access.requireReadable(topic);
            if (!fromFile) {
                access.requireReadable(rulesTopic);
            }
        }
        StatisticsTopic statistics = StatisticsTopic.read(kafka, topic);
        KnownRules rules =
                fromFile
                        ? new KnownRules(statistics.lastHistory(), fileRules(), Map.of())
                        : TopicRules.read(kafka, rulesTopic);
        report(rules, statistics.of(rules.history()), order);
    }

    private void report(KnownRules rules, List<RuleStatistics> statistics, HitReport.Order order) {
        HitReport report = new HitReport(rules);
        List<HitRow> rows =
                windows ? report.windows(statistics, order) : report.totals(statistics, order);
        if (never) {
            rows =
                    rows.stream()
                            .filter(r -> r.standing() == HitRow.Standing.IN_FORCE)
                            .filter(r -> r.hits() == null)
                            .toList();
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            HitTable.printJson(out, rows);
            return;
        }
        HitTable.print(out, rows, windows);
        if (!windows) {
            out.printf(
                    "never hit: %,d of %s%n",
                    report.neverHit(statistics), Amount.of(rules.inForce().size(), "rule"));
            out.flush();
        }
    }
}
