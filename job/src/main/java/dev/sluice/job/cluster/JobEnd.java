package dev.sluice.job.cluster;

import dev.sluice.job.ShellWord;
import dev.sluice.job.SluiceException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Savepoints of a cluster's jobs, and the end of a job behind one. */
public final class JobEnd {
    private static final long LOOK_MILLIS = 100;

    private final ClusterFolder folder;
    private final ClusterRest rest;

    /**
     * Of a cluster.
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
     * Takes a savepoint of a job, which goes on.
     *
     * @param id of the job; null: of the only one that runs
     * @param target folder that takes it; null: the cluster's for savepoints
     * @throws SluiceException if there is no such job, or the savepoint fails
     */
    public Savepoint savepoint(@Nullable String id, @Nullable Path target)
            throws InterruptedException {
        return take(running(id), target, false, false);
    }

    /**
     * Ends a job behind a savepoint: what it has to say of what it has read is committed.
     *
     * @param drain whether what waits for rules is judged before, so that nothing can go on
     */
    public Savepoint stop(@Nullable String id, @Nullable Path target, boolean drain)
            throws InterruptedException {
        Savepoint taken = take(running(id), target, true, drain);
        while (rest.jobs().stream().anyMatch(j -> j.id().equals(taken.job()) && !j.ended())) {
            Thread.sleep(LOOK_MILLIS);
        }
        return taken;
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

    /** The job that is meant. */
    private ClusterRest.Job running(@Nullable String id) throws InterruptedException {
        if (rest.slots().isEmpty()) {
            throw new SluiceException(
                    "the cluster in %s does not answer; see 'sluice cluster status --cluster %s'"
                            .formatted(folder.path(), ShellWord.of(folder.path())));
        }
        List<ClusterRest.Job> jobs = rest.jobs().stream().filter(job -> !job.ended()).toList();
        List<ClusterRest.Job> meant =
                jobs.stream().filter(job -> id == null || job.id().equals(id)).toList();
        if (meant.size() == 1) {
            return meant.get(0);
        }
        String there = jobs.stream().map(ClusterRest.Job::id).collect(Collectors.joining(", "));
        throw new SluiceException(
                jobs.isEmpty()
                        ? "no job runs on the cluster in %s".formatted(folder.path())
                        : id == null
                                ? "several jobs run on the cluster in %s; name one of %s"
                                        .formatted(folder.path(), there)
                                : "no job %s runs on the cluster in %s; there is %s"
                                        .formatted(id, folder.path(), there));
    }

    /**
     * A savepoint that is complete.
     *
     * @param job id of the job that it is of
     * @param path where it lies
     * @param options that the job was submitted with, as a shell takes them
     * @param folder of the cluster
     */
    public record Savepoint(String job, Path path, String options, ClusterFolder folder) {
        /** The command by which a job goes on from here. */
        public String resume() {
            return folder.resume(path, options);
        }
    }
}
