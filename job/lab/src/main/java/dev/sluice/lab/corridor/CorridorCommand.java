package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.cli.BatchOptions;
import dev.sluice.job.cli.ConnectionOptions;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.cli.StatisticsArguments;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.lab.backend.BenchOptions;
import dev.sluice.lab.kit.Results;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench corridor}: the whole job. */
@Command(
        name = "corridor",
        description = {
            "Measures the whole job: Kafka, Flink, the exactly-once sink, with a trace repeated.",
            "Packets are written to a topic first; the rate is that of the job that reads them, to its last commit.",
            ""
        })
public final class CorridorCommand extends SluiceCommand {
    private static final int SHARDS = 64;

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Mixin private ConnectionOptions tracker = new ConnectionOptions();

    @Mixin private CorridorOptions options = new CorridorOptions();

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description =
                    "Run the job on the cluster that 'sluice cluster up' has started in this folder, in topics that are deleted in the end (default: broker and job are started).")
    private @Nullable Path cluster;

    @Option(
            names = "--shadow-rules",
            paramLabel = "FILE",
            description =
                    "Have the job judge by these rules, too, and count the differences, as run --shadow-rules does (default: none).")
    private @Nullable Path shadow;

    @Mixin private BenchOptions bench = new BenchOptions();

    @Mixin private BatchOptions batchOptions = new BatchOptions();

    @Mixin private StatisticsArguments statistics = new StatisticsArguments();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        options.check(cluster != null);
        ClusterTarget target =
                cluster == null ? null : ClusterTarget.find(cluster, null, options.parallelism);
        ClassifyOptions classify =
                batchOptions
                        .toOptions(
                                bench.engine(),
                                SHARDS,
                                VerdictFormat.BLOCKS,
                                VerdictFields.NONE.with(options.columns))
                        .tracking(tracker.tracking());
        RuleFile file = read(ruleOptions.file());
        HeaderTrace trace = HeaderTrace.read(bench.trace());
        ObjectNode record = JsonOption.object();
        record.put("rules", ruleOptions.file().toString());
        record.put("ruleCount", file.rules().size());
        try (TemporaryDirectory directory = new TemporaryDirectory(TemporaryDirectory.parent());
                Site site = new Site(options, target, directory, err())) {
            CorridorBench corridor =
                    new CorridorBench(
                            site,
                            ruleSet(file),
                            trace,
                            bench.trace(),
                            classify,
                            statistics.toOptions(),
                            shadow == null ? null : ruleSet(read(shadow)));
            corridor.run(record);
        }
        Results.print(out(), json, record);
        return 0;
    }

    private RuleFile read(Path rules) {
        return ruleOptions.read(rules, tracker.of(PolicyOptions.NONE), err());
    }

    private static RuleSet ruleSet(RuleFile file) {
        return file.toRuleSet("bench", 1, file.defaultAction(RuleSet.DROP));
    }
}
