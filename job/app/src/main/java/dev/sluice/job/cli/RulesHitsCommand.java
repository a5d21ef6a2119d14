package dev.sluice.job.cli;

import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.hits.HitReport;
import dev.sluice.job.hits.HitRow;
import dev.sluice.job.hits.HitTable;
import dev.sluice.job.hits.KnownRules;
import dev.sluice.job.hits.StatisticsTopic;
import dev.sluice.job.hits.TopicRules;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.policy.io.Amount;
import dev.sluice.schemas.codec.RuleStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice rules hits}: what hit each rule, and which rules nothing hit. */
@Command(
        name = "hits",
        description = {
            "Lists packets, bytes, first and last hit of each rule and of the default action. The hits are those "
                    + "that a job counted in the statistics topic of a Kafka cluster, or those of captures, which are "
                    + "classified here under --rules.",
            "Rules are named by their line and text in their file. Exit status 1 if a capture did not end cleanly.",
            ""
        })
final class RulesHitsCommand extends SluiceCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4; FIFOs, too, and - for standard input; none: the statistics topic is read.")
    private List<Path> captures = List.of();

    @Mixin private JudgingOptions judging = new JudgingOptions();

    @Mixin
    private TopicOptions topics =
            TopicOptions.optional(
                    "none: captures are read",
                    TopicOptions.Topic.STATISTICS,
                    TopicOptions.Topic.STATISTICS_WINDOWS,
                    TopicOptions.Topic.RULES);

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
    private HitReport.Order sort = HitReport.Order.PACKETS;

    @Option(names = "--json", description = "Print one JSON object a rule and line.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        if (windows && (never || !captures.isEmpty())) {
            throw new ParameterException(
                    spec().commandLine(),
                    "--windows lists hits of a topic; leave out "
                            + (never ? "--never" : "the captures"));
        }
        return captures.isEmpty() ? topic() : captures();
    }

    private int captures() throws InterruptedException {
        try (CaptureHits hits = judging.open(err())) {
            List<CaptureEnd> ends = VerdictRun.count(captures, hits);
            int status = CaptureEnds.report(captures, ends, err()) ? 0 : 1;
            if (status == 1 && hits.packets() == 0) {
                return status; // that no rule was hit would say nothing
            }
            report(new KnownRules("", hits.ruleSet(), Map.of()), hits.take());
            if (hits.shutTunnels().sum() > 0) {
                say(hits.shutTunnels().describe());
            }
            ConnectionSum connections = hits.connections();
            if (connections != null) {
                say(connections.describe());
            }
            if (hits.unclassified() > 0) {
                err().printf(
                                "sluice: not counted, as it cannot be classified: %s; sluice headers says why%n",
                                Amount.of(hits.unclassified(), "packet"));
            }
            return status;
        }
    }

    private int topic() {
        if (!topics.isGiven()) {
            throw new ParameterException(
                    spec().commandLine(),
                    "name captures with --rules FILE, or a Kafka cluster with --bootstrap HOST:PORT");
        }
        String topic = windows ? topics.names().statisticsWindows() : topics.names().statistics();
        KafkaClients kafka = topics.kafka();
        StatisticsTopic statistics = StatisticsTopic.read(kafka, topic);
        KnownRules rules =
                judging.rules.isGiven()
                        ? new KnownRules(statistics.lastHistory(), judging.readSet(err()), Map.of())
                        : TopicRules.read(kafka, topics.names().rules());
        report(rules, statistics.of(rules.history()));
        return 0;
    }

    private void report(KnownRules rules, List<RuleStatistics> statistics) {
        HitReport report = new HitReport(rules);
        List<HitRow> rows =
                windows ? report.windows(statistics, sort) : report.totals(statistics, sort);
        if (never) {
            rows = rows.stream().filter(HitRow::isNeverHit).toList();
        }
        if (json) {
            HitTable.printJson(out(), rows);
            return;
        }
        HitTable.print(out(), rows, windows);
        if (!windows) {
            out().printf(
                            "never hit: %,d of %s%n",
                            report.neverHit(statistics), Amount.of(report.size(), "rule"));
        }
    }
}
