package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.job.submit.FlinkAddress;
import dev.sluice.job.submit.FlinkClient;
import dev.sluice.job.submit.RemoteCluster;
import dev.sluice.job.submit.Target;
import dev.sluice.job.submit.ThisProcess;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options that say where a job runs, and from which state. */
final class SubmitOptions {
    @Option(
            names = "--flink",
            paramLabel = "HOST:PORT",
            description = "REST address of a running Flink cluster to submit to.")
    private @Nullable FlinkAddress flink;

    @Option(
            names = "--cluster",
            arity = "0..1",
            fallbackValue = ClusterFolder.USUAL,
            paramLabel = "DIR",
            description =
                    "Submit to the cluster that 'sluice cluster up' has started in this folder (${FALLBACK-VALUE} where none is named); the job goes on without this command, its checkpoints in that folder.")
    private @Nullable Path cluster;

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description =
                    "Parallelism of the job (default: 2; with --cluster all its free slots; under flink run, what the client says).")
    @Range(from = 1)
    private @Nullable Integer parallelism;

    @Option(
            names = "--job-name",
            paramLabel = "NAME",
            defaultValue = LocalFlink.JOB_NAME,
            description =
                    "Name of a job on a cluster: 'sluice cluster status' shows it, 'sluice stop NAME' and the like take it (default ${DEFAULT-VALUE}).")
    private String jobName = LocalFlink.JOB_NAME;

    @Option(
            names = "--checkpoints",
            paramLabel = "DIR",
            description =
                    "When the job runs in this process: folder for its checkpoints. A job that finds one there goes on from it, after kill -9 too; the one before must have been --bounded if this one is, and only then (default: a temporary folder, from the start each time).")
    private @Nullable Path checkpoints;

    @Option(
            names = "--watch",
            description =
                    "With --cluster or --flink: stay and show where the job stands, from the cluster's REST interface, until it ends; it goes on when this command is stopped.")
    private boolean watch;

    /** The savepoint or checkpoint that the job goes on from; null: none. */
    private @Nullable Path savepoint;

    /** True if {@code flink run} set up the execution environment. */
    private boolean inFlinkClient;

    /** Leaves it to Flink's client where the job runs. */
    void useFlinkClient() {
        inFlinkClient = true;
    }

    /** Returns whether a cluster of this machine is named, with its broker. */
    boolean onCluster() {
        return cluster != null && !inFlinkClient;
    }

    /** Returns whether a job on a cluster is to be watched. */
    boolean isWatched() {
        return watch;
    }

    String jobName() {
        return jobName;
    }

    /** Has the job go on from a savepoint or checkpoint on a cluster of this machine. */
    void goOn(Path from) {
        savepoint = from;
        if (cluster == null) {
            cluster = Path.of(ClusterFolder.USUAL);
        }
    }

    /**
     * Refuses options that do not go together.
     *
     * @param json whether figures are to be printed for a program
     * @param bounded whether the job ends by itself
     * @throws UsageException naming them
     */
    void requireUse(CommandSpec spec, boolean json, boolean bounded) {
        boolean there = flink != null || cluster != null;
        if (watch && (inFlinkClient || !there)) {
            throw new UsageException(
                    "--watch goes with --cluster or --flink; a job in this process is always shown");
        }
        if (!there && !inFlinkClient) {
            GivenOptions.refuse(
                    spec,
                    List.of("--job-name"),
                    name ->
                            name
                                    + " goes with --cluster or --flink; in this process a job is alone");
        }
        if (jobName.isBlank() || jobName.chars().anyMatch(Character::isISOControl)) {
            throw new UsageException(
                    "--job-name is blank or has control characters; write words that can be seen");
        }
        if (json && (inFlinkClient || watch || !there && !bounded)) {
            throw new UsageException(
                    "--json tells what a job has counted that ends in this process, or the id of one that was submitted; say --bounded, or --cluster or --flink without --watch");
        }
        if (cluster != null && (flink != null || checkpoints != null)) {
            throw new UsageException(
                    "--cluster goes with neither --flink nor --checkpoints; leave those out");
        }
    }

    /**
     * The target, which answers.
     *
     * @param bounded whether the job ends by itself
     */
    Target target(boolean bounded) throws InterruptedException {
        int usual = parallelism == null ? Target.PARALLELISM : parallelism;
        if (inFlinkClient) {
            return new FlinkClient(parallelism);
        }
        if (cluster != null) {
            return ClusterTarget.find(cluster, savepoint, parallelism);
        }
        return flink == null
                ? new ThisProcess(usual, checkpoints, bounded)
                : new RemoteCluster(flink, usual);
    }
}
