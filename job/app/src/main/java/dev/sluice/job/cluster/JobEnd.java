package dev.sluice.job.cluster;

import dev.sluice.job.ShellWord;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Savepoints of a cluster's jobs, and the end of a job with a savepoint or without. */
public final class JobEnd {
    private static final long LOOK_MILLIS = 100;

    /** Time within which the tasks of a starting job must run. */
    private static final Duration BEGIN = Duration.ofSeconds(10);

    private final ClusterFolder folder;
    private final ClusterRest rest;

    /**
     * Connects to a cluster.
     *
     * @throws SluiceException if it is not up
     */
    public JobEnd(ClusterFolder folder) {
        this.folder = folder;
        this.rest =
                new ClusterRest(
                        ClusterState.read(folder).orElseThrow(() -> ClusterEnd.noCluster(folder)));
    }

    /**
     * Takes a savepoint of a job, which continues.
     *
     * @param wanted id or name of the job; null: the only one there
     * @param target folder of the savepoint; null: the cluster's folder of savepoints
     * @throws SluiceException if there is no such job, or the savepoint fails
     */
    public Savepoint savepoint(@Nullable String wanted, @Nullable Path target)
            throws InterruptedException {
        return take(requireRunning(find(wanted)), target, false, false);
    }

    /**
     * Stops a job with a savepoint; all output for the input read so far is committed.
     *
     * @param wanted id or name of the job; null: the only one there
     * @param drain whether packets that wait for rules are classified first; the job cannot resume
     *     then
     */
    public Savepoint stop(@Nullable String wanted, @Nullable Path target, boolean drain)
            throws InterruptedException {
        Savepoint taken = take(requireRunning(find(wanted)), target, true, drain);
        while (rest.jobs().stream().anyMatch(j -> j.id().equals(taken.job()) && !j.ended())) {
            Thread.sleep(LOOK_MILLIS);
        }
        return taken;
    }

    /**
     * Cancels a job without a savepoint, in any state.
     *
     * @param wanted id or name of the job; null: the only one there
     * @throws SluiceException if there is no such job, or it does not end
     */
    public ClusterEnd.EndedJob cancel(@Nullable String wanted) throws InterruptedException {
        ClusterRest.Job job = find(wanted);
        String options = rest.options(job.id());
        Optional<Path> known = rest.newestCheckpoint(job.id());
        if (!rest.cancel(List.of(job.id()))) {
            throw new SluiceException(
                    "job %s does not end when it is cancelled; the cluster's logs are in %s"
                            .formatted(job.id(), folder.logs()));
        }
        return ClusterEnd.EndedJob.of(folder, job.id(), options, known);
    }

    /** Waits until a starting job runs; refuses a job that does not. */
    private ClusterRest.Job requireRunning(ClusterRest.Job job) throws InterruptedException {
        long until = System.nanoTime() + BEGIN.toNanos();
        ClusterRest.Job now = job;
        while (!now.runs() && !now.state().equals("RESTARTING") && System.nanoTime() < until) {
            Thread.sleep(LOOK_MILLIS);
            now = find(job.id());
        }
        if (now.runs()) {
            return now;
        }
        String problem =
                JobReport.all(rest).stream()
                        .filter(report -> report.job().id().equals(job.id()))
                        .map(JobReport::problem)
                        .findFirst()
                        .orElse(null);
        throw new SluiceException(
                "job %s (%s) is %s, and takes no savepoint: %s; wait until it runs, or end it with 'sluice cluster cancel %s --cluster %s', which names its last checkpoint"
                        .formatted(
                                now.id(),
                                now.name(),
                                now.state(),
                                problem == null ? "not all tasks run" : problem,
                                now.id(),
                                ShellWord.of(folder.path())));
    }

    private Savepoint take(
            ClusterRest.Job job, @Nullable Path target, boolean ending, boolean drain)
            throws InterruptedException {
        String options = rest.options(job.id());
        Path into = (target == null ? folder.savepoints() : target).toAbsolutePath();
        String request = rest.beginSavepoint(job.id(), into, ending, drain);
        Optional<Path> taken = rest.savepoint(job.id(), request);
        while (taken.isEmpty()) {
            requireAnswer(job);
            Thread.sleep(LOOK_MILLIS);
            taken = rest.savepoint(job.id(), request);
        }
        return new Savepoint(job.id(), taken.get(), options, folder);
    }

    private void requireAnswer(ClusterRest.Job job) throws InterruptedException {
        if (rest.slots().isEmpty()) {
            throw new SluiceException(
                    "the JobManager does not answer any more; whether the savepoint of job %s is complete is not known; see 'sluice cluster status --cluster %s'"
                            .formatted(job.id(), ShellWord.of(folder.path())));
        }
    }

    /** Finds the job of an id or name. */
    private ClusterRest.Job find(@Nullable String wanted) throws InterruptedException {
        if (rest.slots().isEmpty()) {
            throw ClusterEnd.noAnswer(folder);
        }
        List<ClusterRest.Job> jobs = rest.jobs().stream().filter(job -> !job.ended()).toList();
        List<ClusterRest.Job> meant =
                jobs.stream()
                        .filter(
                                job ->
                                        wanted == null
                                                || job.id().equals(wanted)
                                                || job.name().equals(wanted))
                        .toList();
        if (meant.size() == 1) {
            return meant.get(0);
        }
        if (jobs.isEmpty()) {
            throw new SluiceException("no job runs on the cluster in " + folder.path());
        }
        throw new SluiceException(
                meant.isEmpty()
                        ? "no job %s runs on the cluster in %s; there is %s"
                                .formatted(wanted, folder.path(), names(jobs))
                        : "several jobs%s run on the cluster in %s; name one of %s"
                                .formatted(
                                        wanted == null ? "" : " named " + wanted,
                                        folder.path(),
                                        names(meant)));
    }

    private static String names(List<ClusterRest.Job> jobs) {
        return jobs.stream()
                .map(job -> "%s (%s)".formatted(job.id(), job.name()))
                .collect(Collectors.joining(", "));
    }

    /**
     * Complete savepoint.
     *
     * @param job id of the job
     * @param path folder of the savepoint
     * @param options with which the job was submitted, quoted for a shell
     * @param folder of the cluster
     */
    public record Savepoint(String job, Path path, String options, ClusterFolder folder) {
        /** Returns the command that resumes a job from this savepoint. */
        public String resume() {
            return folder.resume(path, options);
        }
    }
}
