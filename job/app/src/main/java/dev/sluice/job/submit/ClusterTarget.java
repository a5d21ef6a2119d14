package dev.sluice.job.submit;

import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.JobReport;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.job.graph.JobIdentity;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.watch.JobRest;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of {@code sluice cluster up} as the place where a job is to run. Its processes have
 * this command's class path, so the job goes there without a jar.
 *
 * @param restore checkpoint that the job goes on from; null: from its start
 */
public record ClusterTarget(
        ClusterFolder folder, ClusterState state, @Nullable Path restore, int parallelism)
        implements Target {
    /**
     * The cluster in a folder.
     *
     * @param restore checkpoint that the job goes on from; null: from its start
     * @param parallelism that the job is to have; null: as many as there are free slots
     * @throws SluiceException if it is not up, or has too few free slots
     */
    public static ClusterTarget find(
            Path path, @Nullable Path restore, @Nullable Integer parallelism)
            throws InterruptedException {
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
                    restore
                            + " is no complete checkpoint: it has no _metadata"
                            + CheckpointFolder.newestComplete(folder.checkpoints())
                                    .map(c -> "; the newest complete one of the cluster is " + c)
                                    .orElse(""));
        }
        int free = freeSlots(folder, state, parallelism);
        return new ClusterTarget(folder, state, restore, parallelism == null ? free : parallelism);
    }

    /**
     * Counts the slots that no job has or waits for.
     *
     * @throws SluiceException if nobody answers, or there are fewer than are wanted
     */
    private static int freeSlots(ClusterFolder folder, ClusterState state, @Nullable Integer wanted)
            throws InterruptedException {
        ClusterRest rest = new ClusterRest(state);
        int all = rest.slots().orElseThrow(() -> ClusterEnd.noAnswer(folder)).all();
        List<JobReport> jobs = JobReport.all(rest);
        int free = Math.max(0, all - JobReport.claimed(jobs));
        if (free < (wanted == null ? 1 : wanted)) {
            throw new SluiceException(
                    "%d of %s of the cluster in %s are free%s: %s; %send a job with 'sluice stop --cluster %s JOB', or start a cluster with more --slots"
                            .formatted(
                                    free,
                                    Amount.of(state.allSlots(), "slot"),
                                    folder.path(),
                                    wanted == null ? "" : ", fewer than --parallelism " + wanted,
                                    all < state.allSlots()
                                            ? "not all TaskManagers have registered, and "
                                                    + JobReport.claims(jobs)
                                            : JobReport.claims(jobs),
                                    free == 0 ? "" : "lower it, ",
                                    ShellWord.of(folder.path())));
        }
        return free;
    }

    /** Fails if a job runs here whose transactions this one's sinks would end at their start. */
    @Override
    public void claim(SubmittedOptions given, JobIdentity identity) {
        find((rest, job) -> given.fences(rest.transactions(job)))
                .ifPresent(
                        job -> {
                            throw new SluiceException(
                                    "job %s runs on this cluster with --transactional-id-prefix %s, and two with one prefix in one Kafka end each other's transactions; name another prefix, or stop that job with 'sluice stop --cluster %s %s'"
                                            .formatted(
                                                    job,
                                                    given.transactionPrefix(),
                                                    ShellWord.of(folder.path()),
                                                    job));
                        });
    }

    @Override
    public Optional<String> writer() {
        return find((rest, job) -> rest.options(job).startsWith(SubmittedOptions.ARCHIVE))
                .map(job -> "job " + job + " runs on this cluster");
    }

    /** A condition on a job of a cluster. */
    private interface JobCondition {
        boolean holds(ClusterRest rest, String job) throws InterruptedException;
    }

    /** The first job that has not ended and meets a condition. */
    private Optional<String> find(JobCondition condition) {
        ClusterRest rest = new ClusterRest(state);
        try {
            for (ClusterRest.Job job : rest.jobs()) {
                if (!job.ended() && condition.holds(rest, job.id())) {
                    return Optional.of(job.id());
                }
            }
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("interrupted", e);
        }
    }

    @Override
    public boolean goesOn() {
        return restore != null;
    }

    @Override
    public String bootstrap() {
        return state.bootstrap();
    }

    /**
     * Hands a job over, which goes on without this process.
     *
     * @return its id
     * @throws SluiceException if the job cannot go on from its checkpoint, or is not taken
     */
    public String submit(Job job) {
        Configuration config = folder.jobConfiguration();
        job.given().addTo(config);
        if (restore != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, FlinkPaths.text(restore));
            config.set(
                    StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE,
                    SavedJob.read(restore).hasShadow());
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        state.host(), state.webPort(), config);
        env.setParallelism(parallelism);
        try {
            job.build(env);
            if (restore != null) {
                job.requireGoesOn(SavedJob.read(restore), env.getStreamGraph(false).getJobGraph());
            }
            return env.executeAsync(job.name()).getJobID().toString();
        } catch (SluiceException e) {
            throw e;
        } catch (Exception e) {
            throw new SluiceException(
                    "the cluster in %s did not take the job: %s; its logs are in %s"
                            .formatted(folder.path(), Failures.describe(e), folder.logs()),
                    e);
        }
    }

    @Override
    public boolean run(Job job, JobConsole console) throws InterruptedException {
        String id = submit(job);
        console.submitted("the cluster in " + folder.path(), id);
        console.follow(new JobRest(state.host(), state.webPort(), id));
        return true;
    }
}
