package dev.sluice.job.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ShellWord;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shutdown of a cluster: its jobs, then its processes, the broker last. Its data stays.
 *
 * @param say takes a line for each step done
 */
public record ClusterEnd(ClusterFolder folder, Consumer<String> say) {
    private static final long TERM_SECONDS = 15;
    private static final long KILL_SECONDS = 10;
    private static final long LOOK_MILLIS = 100;

    /**
     * Result of a shutdown.
     *
     * @param members processes that the cluster had
     * @param ran processes that still ran
     * @param jobsKnown whether the JobManager answered
     * @param jobs the cancelled jobs; if the JobManager did not answer, the newest checkpoint in
     *     the folder
     */
    public record Ended(int members, int ran, boolean jobsKnown, List<EndedJob> jobs) {
        /** Copies the list. */
        public Ended {
            jobs = List.copyOf(jobs);
        }
    }

    /**
     * Job that has ended with its cluster.
     *
     * @param id null: not known
     * @param checkpoint from which a job can resume; null: there is none
     * @param resume command that resumes a job; null: there is no checkpoint
     */
    public record EndedJob(
            @Nullable String id, @Nullable Path checkpoint, @Nullable String resume) {
        /**
         * Describes a cancelled job.
         *
         * @param options with which the job was submitted
         * @param known checkpoint to resume from, if the job has completed none in the folder
         */
        static EndedJob of(ClusterFolder folder, String job, String options, Optional<Path> known) {
            Path from =
                    CheckpointFolder.newestComplete(folder.checkpoints().resolve(job))
                            .or(() -> known.filter(Files::exists))
                            .orElse(null);
            return new EndedJob(job, from, from == null ? null : folder.resume(from, options));
        }

        /** Adds the job to an object, for a program. */
        public ObjectNode addTo(ObjectNode object, String idKey) {
            return object.put(idKey, id)
                    .put("checkpoint", checkpoint == null ? null : checkpoint.toString())
                    .put("resume", resume);
        }

        /** Tells what was done, and the command that resumes the job. */
        public String told() {
            if (id == null) {
                return "the JobManager does not answer, so its jobs are not known; "
                        + (resume == null
                                ? "no checkpoint is here to go on from"
                                : "to go on from the newest checkpoint here: %s, with the options that its job had"
                                        .formatted(resume));
            }
            return "job %s is cancelled; %s"
                    .formatted(
                            id,
                            resume == null
                                    ? "it has no checkpoint to go on from"
                                    : "to go on from its last checkpoint: " + resume);
        }
    }

    /**
     * Ends the cluster.
     *
     * @throws SluiceException if no cluster was started there, or a process does not end
     */
    public Ended end() throws InterruptedException {
        if (ClusterState.read(folder).isEmpty()) {
            throw noCluster(folder);
        }
        return folder.alone(this::endAlone);
    }

    private Ended endAlone() throws InterruptedException {
        ClusterState state = ClusterState.read(folder).orElseThrow(() -> noCluster(folder));
        ClusterRest rest = new ClusterRest(state);
        boolean known = rest.slots().isPresent();
        List<Supplier<EndedJob>> cancelled =
                known ? cancelJobs(rest) : List.of(this::newestCheckpoint);
        List<Member> running = state.members().stream().filter(Member::runs).toList();
        List<EndedJob> jobs = new ArrayList<>();
        try {
            kill(running);
        } finally { // the jobs have ended, whatever of the processes has
            for (Supplier<EndedJob> of : cancelled) {
                EndedJob job = of.get();
                say.accept(job.told());
                jobs.add(job);
            }
        }
        ClusterState.delete(folder);
        folder.emptyTemporary();
        say.accept(
                "the cluster has ended (%d of %d processes ran); its data stays in %s"
                        .formatted(running.size(), state.members().size(), folder.path()));
        jobs.removeIf(job -> job.id() == null && job.checkpoint() == null);
        return new Ended(state.members().size(), running.size(), known, jobs);
    }

    /** Creates the exception for a folder without a running cluster. */
    public static SluiceException noCluster(ClusterFolder folder) {
        return new SluiceException(
                "no cluster is up in %s; start one with 'sluice cluster up', or name its folder with --cluster DIR"
                        .formatted(folder.path()));
    }

    /** Creates the exception for a cluster whose JobManager does not answer. */
    public static SluiceException noAnswer(ClusterFolder folder) {
        return new SluiceException(
                "the cluster in %s does not answer; see 'sluice cluster status --cluster %s'"
                        .formatted(folder.path(), ShellWord.of(folder.path())));
    }

    /**
     * Cancels the running jobs.
     *
     * @return suppliers to be asked once the cluster's processes have ended: the last checkpoint is
     *     known only then
     */
    private List<Supplier<EndedJob>> cancelJobs(ClusterRest rest) throws InterruptedException {
        List<ClusterRest.Job> running = new ArrayList<>(rest.jobs());
        running.removeIf(ClusterRest.Job::ended);
        List<Supplier<EndedJob>> cancelled = new ArrayList<>();
        for (ClusterRest.Job job : running) {
            String options = rest.options(job.id());
            Optional<Path> known = rest.newestCheckpoint(job.id());
            cancelled.add(() -> EndedJob.of(folder, job.id(), options, known));
        }
        if (!rest.cancel(running.stream().map(ClusterRest.Job::id).toList())) {
            say.accept("not every job ended when it was cancelled; its processes are ended now");
        }
        return cancelled;
    }

    /** Describes jobs that are not known, by the newest checkpoint in the folder. */
    private EndedJob newestCheckpoint() {
        Path from = CheckpointFolder.newestComplete(folder.checkpoints()).orElse(null);
        return new EndedJob(null, from, from == null ? null : folder.resume(from, ""));
    }

    /**
     * Ends processes in reverse order of their start, each by TERM, then by KILL.
     *
     * @throws SluiceException if a process does not end
     */
    static void kill(List<Member> members) throws InterruptedException {
        List<Member> backwards = new ArrayList<>(members);
        Collections.reverse(backwards);
        for (Member member : backwards) {
            Optional<ProcessHandle> process = member.process();
            if (process.isEmpty()) {
                continue;
            }
            process.get().destroy();
            if (!ended(member, TERM_SECONDS)) {
                process.get().destroyForcibly();
                if (!ended(member, KILL_SECONDS)) {
                    throw new SluiceException(
                            "%s, process %d, does not end; end it with kill -9"
                                    .formatted(member.role(), member.pid()));
                }
            }
        }
    }

    private static boolean ended(Member member, long seconds) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (member.runs()) {
            if (System.nanoTime() > until) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS / 2);
        }
        return true;
    }
}
