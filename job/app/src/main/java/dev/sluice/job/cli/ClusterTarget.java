package dev.sluice.job.cli;

import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.archive.ArchiveJob;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.JobReport;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.watch.JobRest;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of {@code sluice cluster up} as the place where a job is to run. Its processes have
 * this command's class path, so the job goes there without a jar.
 */
public final class ClusterTarget {
    private final ClusterFolder folder;
    private final ClusterState state;
    private final @Nullable Path restore;
    private final int freeSlots;

    private ClusterTarget(
            ClusterFolder folder, ClusterState state, @Nullable Path restore, int freeSlots) {
        this.folder = folder;
        this.state = state;
        this.restore = restore;
        this.freeSlots = freeSlots;
    }

    /**
     * The cluster in a folder.
     *
     * @param restore checkpoint that the job goes on from; null: from its start
     * @param parallelism that the job is to have; null: as many as there are free slots
     * @throws SluiceException if it is not up, or has too few free slots
     */
    public static ClusterTarget find(
            Path path, @Nullable Path restore, @Nullable Integer parallelism) {
        ClusterFolder folder = ClusterFolder.of(path);
        ClusterState state =
                ClusterState.read(folder).orElseThrow(() -> ClusterEnd.noCluster(folder));
        if (parallelism != null && parallelism > state.allSlots()) {
            throw new UsageException(
                    "--parallelism %d is more than the %d slots of the cluster in %s"
                            .formatted(parallelism, state.allSlots(), folder.path()));
        }
        if (restore != null && !Files.exists(restore.resolve("_metadata"))) {
            throw new UsageException(
                    "--restore "
                            + restore
                            + " is no complete checkpoint: it has no _metadata"
                            + CheckpointFolder.newestComplete(folder.checkpoints())
                                    .map(c -> "; the newest complete one of the cluster is " + c)
                                    .orElse(""));
        }
        return new ClusterTarget(folder, state, restore, freeSlots(folder, state, parallelism));
    }

    /**
     * Counts the slots that no job has or waits for.
     *
     * @throws SluiceException if nobody answers, or there are fewer than are wanted
     */
    private static int freeSlots(
            ClusterFolder folder, ClusterState state, @Nullable Integer wanted) {
        try {
            ClusterRest rest = new ClusterRest(state);
            int all =
                    rest.slots()
                            .orElseThrow(
                                    () ->
                                            new SluiceException(
                                                    "the cluster in %s does not answer; see 'sluice cluster status --cluster %s'"
                                                            .formatted(
                                                                    folder.path(),
                                                                    ShellWord.of(folder.path()))))
                            .all();
            List<JobReport> jobs = JobReport.all(rest);
            int free = Math.max(0, all - JobReport.claimed(jobs));
            if (free < (wanted == null ? 1 : wanted)) {
                throw new SluiceException(
                        "%d of %s of the cluster in %s are free%s: %s; %send a job with 'sluice stop --cluster %s JOB', or start a cluster with more --slots"
                                .formatted(
                                        free,
                                        Amount.of(state.allSlots(), "slot"),
                                        folder.path(),
                                        wanted == null
                                                ? ""
                                                : ", fewer than --parallelism " + wanted,
                                        all < state.allSlots()
                                                ? "not all TaskManagers have registered, and "
                                                        + JobReport.claims(jobs)
                                                : JobReport.claims(jobs),
                                        free == 0 ? "" : "lower it, ",
                                        ShellWord.of(folder.path())));
            }
            return free;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        }
    }

    /**
     * Fails if a job runs here whose transactions this one's sinks would end at their start.
     *
     * @param wanted options of the job that is to run
     */
    void requireNoOther(SubmittedOptions wanted) {
        ClusterRest rest = new ClusterRest(state);
        try {
            for (ClusterRest.Job job : rest.jobs()) {
                if (!job.ended() && wanted.fences(rest.transactions(job.id()))) {
                    throw new SluiceException(
                            "job %s runs on this cluster with --transactional-id-prefix %s, and two with one prefix in one Kafka end each other's transactions; name another prefix, or stop that job with 'sluice stop --cluster %s %s'"
                                    .formatted(
                                            job.id(),
                                            wanted.transactionPrefix(),
                                            ShellWord.of(folder.path()),
                                            job.id()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        }
    }

    /** A job of captures that has not ended. */
    Optional<String> archiveJob() {
        ClusterRest rest = new ClusterRest(state);
        try {
            for (ClusterRest.Job job : rest.jobs()) {
                if (!job.ended() && rest.options(job.id()).contains("--captures")) {
                    return Optional.of(job.id());
                }
            }
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        }
    }

    Path folder() {
        return folder.path();
    }

    /** Its broker, HOST:PORT. */
    public String bootstrap() {
        return state.bootstrap();
    }

    /** Its processes. */
    public List<Member> members() {
        return state.members();
    }

    /** Slots that no other job had or waited for when this was asked. */
    int freeSlots() {
        return freeSlots;
    }

    /** Address of its REST interface. */
    public String web() {
        return state.web();
    }

    /**
     * Hands a job over, which goes on without this process.
     *
     * @return its id
     */
    public String submit(JobOptions options, int parallelism, SubmittedOptions given) {
        return submit(env -> build(env, options), LocalFlink.JOB_NAME, parallelism, given);
    }

    /**
     * Adds the job to an environment of this cluster.
     *
     * @throws SluiceException if it is to go on from where it cannot
     */
    void build(StreamExecutionEnvironment env, JobOptions options) {
        SluiceJob.build(env, options);
        if (restore != null) {
            SavedJob.read(restore).requireGoesOn(env.getStreamGraph(false).getJobGraph(), options);
        }
    }

    /**
     * Adds the job of an archive to an environment of this cluster.
     *
     * @throws SluiceException if it is to go on from where it cannot
     */
    void build(StreamExecutionEnvironment env, ArchiveOptions options) {
        ArchiveJob.build(env, options);
        if (restore != null) {
            ArchiveJob.requireGoesOn(
                    SavedJob.read(restore), env.getStreamGraph(false).getJobGraph(), options);
        }
    }

    /**
     * Hands any job over.
     *
     * @param graph adds it to an environment
     * @param name of the job
     * @return its id
     */
    String submit(
            Consumer<StreamExecutionEnvironment> graph,
            String name,
            int parallelism,
            SubmittedOptions given) {
        Configuration config = folder.jobConfiguration();
        given.addTo(config);
        if (restore != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, FlinkPaths.text(restore));
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        state.host(), state.webPort(), config);
        env.setParallelism(parallelism);
        try {
            graph.accept(env);
            return env.executeAsync(name).getJobID().toString();
        } catch (SluiceException e) {
            throw e;
        } catch (Exception e) {
            throw new SluiceException(
                    "the cluster in %s did not take the job: %s; its logs are in %s"
                            .formatted(folder.path(), Failures.describe(e), folder.logs()),
                    e);
        }
    }

    /** Returns the figures of a job from the cluster's REST interface. */
    JobRest watch(String id) {
        return new JobRest(state.host(), state.webPort(), id);
    }

    /**
     * Fails if a job that was handed over has ended.
     *
     * @throws SluiceException with what it ended as
     */
    public void requireRunning(String id) throws InterruptedException {
        for (ClusterRest.Job job : new ClusterRest(state).jobs()) {
            if (job.id().equals(id) && job.ended()) {
                throw new SluiceException(
                        "job %s has ended as %s; the cluster's logs are in %s"
                                .formatted(id, job.state(), folder.logs()));
            }
        }
    }

    /** Cancels a job, and waits a while until it has ended. */
    public void cancel(String id) {
        try {
            if (!new ClusterRest(state).cancel(List.of(id))) {
                throw new SluiceException(
                        "job %s does not end when it is cancelled; the cluster's logs are in %s"
                                .formatted(id, folder.logs()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
