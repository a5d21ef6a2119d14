package dev.sluice.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.BatchOptions;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.StatisticsArguments;
import dev.sluice.job.cli.Times;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.lab.backend.Backend;
import dev.sluice.lab.backend.BenchOptions;
import dev.sluice.lab.backend.Classified;
import dev.sluice.lab.kit.Results;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.PassedColumns;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench corridor}: the whole job. */
@Command(
        name = "corridor",
        description = {
            "Measures the whole job: Kafka, Flink, the exactly-once sink, with a trace repeated.",
            "Packets are written to a topic first; the rate is that of the job that reads them, to its last commit.",
            ""
        })
public final class CorridorCommand implements Callable<Integer> {
    private static final int SHARDS = 64;

    @Spec private CommandSpec spec;

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "100000000",
            description = "Headers to classify (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private long headers;

    @Option(
            names = "--warm-headers",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Let the job classify so many headers of another topic first, so that the JIT compiler has done its work; with --change-rate once more while rules change (default: none).")
    @Range
    private long warmHeaders;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "1",
            description = "Parallelism of the job (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 128)
    private int parallelism;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Partitions of the topics of packets and verdicts (default: as many as the parallelism, at least 2).")
    @Range(to = 10_000)
    private int partitions;

    @Option(
            names = "--block-size",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers of a block (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1 << 20)
    private int blockSize;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = Times.InMillis.class,
            description =
                    "Time between two commits (default ${DEFAULT-VALUE}; a bare number is in ms).")
    @Range(shortest = "10ms", longest = "10m")
    private Duration checkpoints = Duration.ZERO;

    @Option(
            names = "--compare",
            description =
                    "In the same run, also measure the same job with a trivial verdict, and Kafka's clients alone, which write as many bytes as the verdicts have.")
    private boolean compare;

    @Option(
            names = "--change-rate",
            paramLabel = "N",
            description =
                    "Measure the job twice more while so many single rules a second go and come back, in turns with two more runs without (default: not at all).")
    @Range(from = 1)
    private @Nullable Long changeRate;

    @Option(
            names = "--latency",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "10s",
            converter = Times.InSeconds.class,
            description =
                    "Measure how long verdicts take at 10, 50 and 90 %% of the highest rate, so long each (${FALLBACK-VALUE} if no time is given, a bare number is in s; default: not at all), packets being loaded by 'sluice load' in a process of its own.")
    @Range(longest = "1h")
    private Duration delays = Duration.ZERO;

    @Option(
            names = "--rule-changes",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "20s",
            converter = Times.InSeconds.class,
            description =
                    "Measure the job at 80 %% of the highest rate while its rules change, so long for each kind of change (${FALLBACK-VALUE} if no time is given, a bare number is in s; default: not at all): from a commit to verdicts, and how long packets are held up.")
    @Range(longest = "1h")
    private Duration phases = Duration.ZERO;

    @Option(
            names = "--sustain",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "8m",
            converter = Times.InSeconds.class,
            description =
                    "Measure so long (${FALLBACK-VALUE} if no time is given, a bare number is in s; default: not at all) what the job makes of packets that 'sluice load' sends meanwhile. A partition keeps 512 MB: a job that falls further behind ends.")
    @Range(longest = "1d")
    private Duration sustained = Duration.ZERO;

    @Option(
            names = "--load-rate",
            paramLabel = "N",
            description =
                    "With --rule-changes or --sustain: headers a second, as in 80M (default: 80 or 90 %% of the highest rate).")
    @Range(from = 1)
    private @Nullable Long loadRate;

    @Option(
            names = "--loader-cores",
            paramLabel = "LIST",
            description =
                    "With --latency, --rule-changes or --sustain: keep 'sluice load' on these cores, as in 12-15, by taskset (default: any).")
    private @Nullable CoreList loaderCores;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description =
                    "Run the job on the cluster that 'sluice cluster up' has started in this folder, in topics that are deleted in the end (default: broker and job are started).")
    private @Nullable Path cluster;

    @Option(
            names = "--verdict-columns",
            paramLabel = "HOW",
            defaultValue = "copied",
            description =
                    "How verdicts have packet numbers and times, as with run: copied, deltas or named (default ${DEFAULT-VALUE}). Delays are told by the times that verdicts carry: not with named.")
    private PassedColumns columns = PassedColumns.COPIED;

    @Option(
            names = "--compression",
            paramLabel = "KIND",
            defaultValue = "none",
            description =
                    "Compression of the packets that are written before, and of the verdicts: none, gzip, snappy, lz4 or zstd (default ${DEFAULT-VALUE}).")
    private CompressionType compression = CompressionType.NONE;

    @Mixin private BenchOptions bench = new BenchOptions();

    @Mixin private BatchOptions batchOptions = new BatchOptions();

    @Mixin private StatisticsArguments statistics = new StatisticsArguments();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        CorridorPlan plan = plan();
        Backend wanted = bench.backend();
        VerdictFields fields = VerdictFields.NONE.with(plan.columns());
        StatisticsOptions counted = statistics.toOptions();
        ClusterTarget target =
                cluster == null ? null : ClusterTarget.find(cluster, null, parallelism);
        var classify =
                batchOptions.toOptions(
                        bench.engine(target == null), SHARDS, VerdictFormat.BLOCKS, fields);
        PrintWriter err = spec.commandLine().getErr();
        RuleFile file = ruleOptions.read(err);
        HeaderTrace read = HeaderTrace.read(bench.trace());
        ObjectNode record = JsonOption.object();
        record.put("rules", ruleOptions.file().toString());
        record.put("ruleCount", file.rules().size());
        record.put("parallelism", parallelism);
        record.put("block", blockSize);
        new CorridorBench(file, read, bench.trace(), classify, counted, plan, target, err)
                .run(TemporaryDirectory.parent(), record);
        if (wanted != null && record.has("gpuShare")) {
            long judged = record.path("headers").asLong();
            long there = Math.round(judged * record.path("gpuShare").asDouble());
            wanted.requireIn(new Classified(judged - there, there));
        }
        Results.print(spec.commandLine().getOut(), json, record);
        return 0;
    }

    private CorridorPlan plan() {
        if (loadRate != null && phases.isZero() && sustained.isZero()) {
            throw new UsageException("--load-rate goes with --rule-changes or --sustain alone");
        }
        boolean loads = !(delays.isZero() && phases.isZero() && sustained.isZero());
        if (loaderCores != null && !loads) {
            throw new UsageException(
                    "--loader-cores goes with --latency, --rule-changes or --sustain: nothing else loads while it measures");
        }
        if (cluster != null && (loads || compare)) {
            throw new UsageException(
                    "--cluster measures the job alone; leave out --compare, --latency, --rule-changes and --sustain");
        }
        if (columns == PassedColumns.NAMED && !(delays.isZero() && phases.isZero())) {
            throw new UsageException(
                    "--verdict-columns named goes without --latency and --rule-changes: delays are told by the times that verdicts carry");
        }
        return new CorridorPlan(
                headers,
                parallelism,
                partitions == 0 ? Math.max(2, parallelism) : partitions,
                blockSize,
                checkpoints,
                compare,
                warmHeaders,
                changeRate == null ? 0 : changeRate,
                (int) delays.toSeconds(),
                (int) sustained.toSeconds(),
                (int) phases.toSeconds(),
                loadRate == null ? 0 : loadRate,
                loaderCores,
                compression,
                columns);
    }
}
