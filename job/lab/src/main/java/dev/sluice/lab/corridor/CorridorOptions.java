package dev.sluice.lab.corridor;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.Times;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.operators.classify.PassedColumns;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of a measurement of the whole job. */
final class CorridorOptions {
    /** Headers of a block. */
    static final int BLOCK_SIZE = 4096;

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "100000000",
            description = "Headers to classify (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    long headers;

    @Option(
            names = "--warm-headers",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Let the job classify so many headers of another topic first, so that the JIT compiler has done its work (default: none).")
    @Range
    long warmHeaders;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Send packets of so many connections in place of the trace's: the trace's headers from ever other source ports, then the answer of each, and so on (default: the trace as it is).")
    @Range(to = 1 << 27)
    int connections;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "1",
            description = "Parallelism of the job (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 128)
    int parallelism;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Partitions of the topics of packets and verdicts (default: as many as the parallelism, at least 2).")
    @Range(to = 10_000)
    int partitions;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = Times.InMillis.class,
            description =
                    "Time between two commits (default ${DEFAULT-VALUE}; a bare number is in ms).")
    @Range(shortest = "10ms", longest = "10m")
    Duration checkpoints = Duration.ZERO;

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
    Duration delays = Duration.ZERO;

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
    Duration phases = Duration.ZERO;

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
    Duration sustained = Duration.ZERO;

    @Option(
            names = "--load-rate",
            paramLabel = "N",
            description =
                    "With --rule-changes or --sustain: headers a second, as in 80M (default: 80 or 90 %% of the highest rate).")
    @Range(from = 1)
    @Nullable Long loadRate;

    @Option(
            names = "--loader-cores",
            paramLabel = "LIST",
            description =
                    "With --latency, --rule-changes or --sustain: keep 'sluice load' on these cores, as in 12-15, by taskset (default: any).")
    @Nullable CoreList loaderCores;

    @Option(
            names = "--verdict-columns",
            paramLabel = "HOW",
            defaultValue = "copied",
            description =
                    "How verdicts have packet numbers and times, as with run: copied, deltas or named (default ${DEFAULT-VALUE}). Delays are told by the times that verdicts carry: not with named.")
    PassedColumns columns = PassedColumns.COPIED;

    /**
     * Checks the options together.
     *
     * @param onCluster whether a cluster runs the job
     * @throws UsageException if they contradict each other
     */
    void check(boolean onCluster) {
        boolean loads = !(delays.isZero() && phases.isZero() && sustained.isZero());
        if (loadRate != null && phases.isZero() && sustained.isZero()) {
            throw new UsageException("--load-rate goes with --rule-changes or --sustain alone");
        }
        if (loaderCores != null && !loads) {
            throw new UsageException(
                    "--loader-cores goes with --latency, --rule-changes or --sustain: nothing else loads while it measures");
        }
        if (connections > 0 && loads) {
            throw new UsageException(
                    "--connections measures a topic that was filled; leave out --latency, --rule-changes and --sustain");
        }
        if (onCluster && loads) {
            throw new UsageException(
                    "--cluster measures a topic that was filled; leave out --latency, --rule-changes and --sustain");
        }
        if (columns == PassedColumns.NAMED && !(delays.isZero() && phases.isZero())) {
            throw new UsageException(
                    "--verdict-columns named goes without --latency and --rule-changes: delays are told by the times that verdicts carry");
        }
    }

    /** Returns the number of partitions of the topics of packets and verdicts. */
    int partitions() {
        return partitions == 0 ? Math.max(2, parallelism) : partitions;
    }

    /** Returns the rate of a load, headers a second: the one given, or a share of the highest. */
    double loadRate(double share, double highest) {
        return loadRate == null ? share * highest : loadRate;
    }
}
