package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Choice;
import dev.sluice.job.cli.ClusterTarget;
import dev.sluice.job.cli.Compression;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.cli.Times;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.job.importers.TextFiles;
import dev.sluice.job.kafka.TopicBound;
import dev.sluice.job.lab.load.TargetOptions;
import dev.sluice.operators.classify.PassedColumns;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** What {@code sluice bench --corridor} is told of the run. */
public final class CorridorArguments {
    private static final String RECORD = "corridor.json";
    private static final String PAGE = "corridor.html";

    /** The options' names. */
    public static List<String> names() {
        return CommandSpec.forAnnotatedObject(new CorridorArguments()).options().stream()
                .map(OptionSpec::longestName)
                .toList();
    }

    @Option(
            names = "--corridor-headers",
            paramLabel = "N",
            defaultValue = "100000000",
            description = "With --corridor: headers to classify (default ${DEFAULT-VALUE}).")
    private long headers;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "With --corridor: partitions of the topics of packets and verdicts (default: as many as the parallelism, at least 2).")
    private int partitions;

    @Option(
            names = "--checkpoint-millis",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = Times.Millis.class,
            description =
                    "With --corridor: time between two commits (default ${DEFAULT-VALUE}; a bare number is in ms).")
    private int checkpointMillis;

    @Option(
            names = "--compare",
            paramLabel = "RECORDS",
            arity = "0..1",
            defaultValue = "0",
            fallbackValue = "6000000",
            description = {
                "With --corridor: in the same run, measure three others: the same job with a trivial verdict;",
                "Kafka's clients alone, which write as many bytes as the verdicts have; and a job as one would write it",
                "with Flink alone, one Avro message a packet and 100 rules compared one by one, on RECORDS packets",
                "(${FALLBACK-VALUE} if none are given; default: none of them)."
            })
    private long records;

    @Option(
            names = "--latency",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "10s",
            converter = Times.Seconds.class,
            description =
                    "With --corridor: measure how long verdicts take at 10, 50 and 90 %% of the highest rate, so long each (${FALLBACK-VALUE} if no time is given, a bare number is in s; default: not at all), packets being loaded by 'sluice load' in a process of its own.")
    private int delaySeconds;

    @Option(
            names = "--line-rates",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "10s",
            converter = Times.Seconds.class,
            description =
                    "With --corridor: the same for batches that wait 0.1, 0.5, 1 and 2 ms at most, at the rates of 10, 40 and 100 GbE with frames of 64, 512 and 1,518 bytes, as far as the job goes (${FALLBACK-VALUE} each if no time is given, a bare number is in s; default: not at all).")
    private int lineSeconds;

    @Option(
            names = "--verdict-columns",
            paramLabel = "HOW",
            defaultValue = "copied",
            description =
                    "With --corridor: how verdicts have packet numbers and times, as with run: copied, deltas or named (default ${DEFAULT-VALUE}). With named, --sustain tells no delays of verdicts: these are told by the times that verdicts carry.")
    private String columns = "copied";

    @Option(
            names = "--warm-headers",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "With --corridor: let the job classify so many headers of another topic first, so that the JIT compiler has done its work; with --change-rate once more while rules change (default: none).")
    private long warmHeaders;

    @Option(
            names = "--sustain",
            paramLabel = "DURATION",
            arity = "0..1",
            defaultValue = "0s",
            fallbackValue = "8m",
            converter = Times.Seconds.class,
            description =
                    "With --corridor: measure so long (${FALLBACK-VALUE} if no time is given, a bare number is in s; default: not at all) what the job makes of packets that 'sluice load' sends meanwhile; what was read is deleted.")
    private int sustainSeconds;

    @Option(
            names = "--sustain-rate",
            paramLabel = "N",
            description =
                    "With --sustain: headers a second, as in 80M (default: nine tenths of the highest rate).")
    private @Nullable Long sustainRate;

    @Option(
            names = "--sustain-keep",
            paramLabel = "SIZE",
            defaultValue = "512m",
            converter = Sizes.class,
            description =
                    "With --sustain, --latency or --line-rates: what a partition of the packets keeps, with k, m or g behind the number (default ${DEFAULT-VALUE}): a job that falls further behind ends, since what it was to read is gone.")
    private long keep = 512L << 20;

    @Option(
            names = "--change-rate",
            paramLabel = "N",
            description =
                    "With --corridor: measure the job twice more while so many single rules a second go and come back, in turns with two more runs without (default: not at all).")
    private @Nullable Long changeRate;

    @Option(
            names = "--lose-device",
            paramLabel = "N",
            arity = "0..1",
            defaultValue = "0",
            fallbackValue = "2",
            description =
                    "With --corridor: let a device fail when a third of the headers is judged, and not open again before so many tries (${FALLBACK-VALUE} if none are given; default: it does not fail).")
    private int deviceTries;

    @Option(
            names = "--loader-cores",
            paramLabel = "LIST",
            description =
                    "With --corridor: keep 'sluice load' on these cores, as in 12-15, by taskset (default: any).")
    private @Nullable String loaderCores;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description =
                    "With --corridor: run the job on the cluster that 'sluice cluster up' has started in this folder, in topics that are deleted in the end (default: broker and job are started).")
    private @Nullable Path cluster;

    @Option(
            names = "--compression",
            paramLabel = "KIND",
            defaultValue = "none",
            description =
                    "With --corridor: compression of the packets that are written before, and of the verdicts: none, lz4, zstd or snappy (default ${DEFAULT-VALUE}).")
    private String compression = "none";

    @Option(
            names = "--corridor-out",
            paramLabel = "DIR",
            description =
                    "With --corridor: write there corridor.json, corridor-seconds.csv (headers and CPU of each second) and corridor.html, a page of plots.")
    private @Nullable Path out;

    /** What is to be measured. */
    public CorridorBench.Plan plan(int parallelism, int blockSize) {
        UsageException.requireAtLeast("--corridor-headers", headers, 1);
        UsageException.requireFromOne("--sustain-rate", sustainRate);
        UsageException.requireFromOne("--change-rate", changeRate);
        UsageException.requireRange("--partitions", partitions, 0, 10_000);
        UsageException.requireRange("--checkpoint-millis", checkpointMillis, 10, 600_000);
        UsageException.requireAtLeast("--compare", records, 0);
        UsageException.requireRange("--latency", delaySeconds, 0, 3600);
        UsageException.requireRange("--line-rates", lineSeconds, 0, 3600);
        UsageException.requireAtLeast("--warm-headers", warmHeaders, 0);
        UsageException.requireRange("--sustain", sustainSeconds, 0, 86_400);
        TopicBound kept = TargetOptions.bound("--sustain-keep", keep);
        if (sustainRate != null && sustainSeconds == 0) {
            throw new UsageException("--sustain-rate goes with --sustain alone");
        }
        boolean loads = delaySeconds > 0 || lineSeconds > 0 || sustainSeconds > 0;
        if (loaderCores != null && !loads) {
            throw new UsageException(
                    "--loader-cores goes with --sustain, --latency or --line-rates: nothing else loads while it measures");
        }
        UsageException.requireAtLeast("--lose-device", deviceTries, 0);
        if (cluster != null && deviceTries > 0) {
            throw new UsageException(
                    "--lose-device goes without --cluster: the device of this process fails");
        }
        if (cluster != null && (loads || records > 0)) {
            throw new UsageException(
                    "--cluster measures the job alone; leave out --compare, --latency, --line-rates and --sustain");
        }
        PassedColumns passed = Choice.parse("--verdict-columns", columns, PassedColumns.class);
        if (passed == PassedColumns.NAMED && (delaySeconds > 0 || lineSeconds > 0)) {
            throw new UsageException(
                    "--verdict-columns named goes without --latency and --line-rates: delays are told by the times that verdicts carry");
        }
        return new CorridorBench.Plan(
                headers,
                parallelism,
                partitions == 0 ? Math.max(2, parallelism) : partitions,
                blockSize,
                Duration.ofMillis(checkpointMillis),
                records,
                delaySeconds,
                lineSeconds,
                warmHeaders,
                sustainSeconds,
                sustainRate == null ? 0 : sustainRate,
                kept,
                changeRate == null ? 0 : changeRate,
                deviceTries,
                loaderCores == null ? null : CoreList.parse("--loader-cores", loaderCores),
                Compression.parse("--compression", compression),
                passed);
    }

    /**
     * The cluster on which the job is to run; null: none.
     *
     * @throws dev.sluice.job.SluiceException if it is not up, or has too few slots
     */
    public @Nullable ClusterTarget cluster(int parallelism) {
        return cluster == null ? null : ClusterTarget.find(cluster, null, parallelism);
    }

    /**
     * Makes the folder that takes what was asked for, before it is measured.
     *
     * @param reads files that the command reads
     * @throws UsageException if one of them would be written over, or it is no folder
     */
    public void makeFolder(Collection<Path> reads) {
        if (out != null) {
            OutputPath.makeFolder(
                    "--corridor-out", out, List.of(RECORD, CorridorReport.SECONDS, PAGE), reads);
        }
    }

    /**
     * Writes what was asked for.
     *
     * @param title what was run
     * @param json the report with what was run
     */
    public void write(CorridorReport report, String title, ObjectNode json) {
        if (out != null) {
            TextFiles.write(out.resolve(RECORD), json.toPrettyString() + "\n");
            TextFiles.write(out.resolve(CorridorReport.SECONDS), report.secondsTable());
            TextFiles.write(out.resolve(PAGE), new CorridorPlots(report, title).html());
        }
    }
}
