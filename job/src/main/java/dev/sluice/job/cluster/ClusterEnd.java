package dev.sluice.job.cluster;

import dev.sluice.job.SluiceException;
import dev.sluice.job.graph.CheckpointFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Ends a cluster: its jobs, then its processes, the broker last. Its data stays. */
public final class ClusterEnd {
    private static final long TERM_SECONDS = 15;
    private static final long KILL_SECONDS = 10;
    private static final long LOOK_MILLIS = 100;

    private final ClusterFolder folder;
    private final Consumer<String> say;

    /**
     * Of a cluster.
     *
     * @param say takes lines that say what was done
     */
    public ClusterEnd(ClusterFolder folder, Consumer<String> say) {
        this.folder = folder;
        this.say = say;
    }

    /**
     * Ends the cluster.
     *
     * @throws SluiceException if none was started there, or a process does not end
     */
    public void end() throws InterruptedException {
        if (ClusterState.read(folder).isEmpty()) {
            throw noCluster(folder);
        }
        folder.alone(this::endAlone);
    }

    private ClusterState endAlone() throws InterruptedException {
        ClusterState state = ClusterState.read(folder).orElseThrow(() -> noCluster(folder));
        List<Supplier<String>> told = cancelJobs(state);
        List<Member> running = state.members().stream().filter(Member::runs).toList();
        try {
            kill(running);
        } finally { // the jobs have ended, whatever of the processes has
            told.forEach(of -> say.accept(of.get()));
        }
        ClusterState.delete(folder);
        folder.emptyTemporary();
        say.accept(
                "the cluster has ended (%d of %d processes ran); its data stays in %s"
                        .formatted(running.size(), state.members().size(), folder.path()));
        return state;
    }

    /** What is said where no cluster is. */
    public static SluiceException noCluster(ClusterFolder folder) {
        return new SluiceException(
                "no cluster is up in %s; start one with 'sluice cluster up', or name its folder"
                        .formatted(folder.path()));
    }

    /**
     * Cancels jobs.
     *
     * @return what is to be said of each once nothing of the cluster runs: a checkpoint that is
     *     complete then is the last one
     */
    private List<Supplier<String>> cancelJobs(ClusterState state) throws InterruptedException {
        ClusterRest rest = new ClusterRest(state);
        if (rest.slots().isEmpty()) {
            return List.of(this::unknownJobs);
        }
        List<ClusterRest.Job> running = new ArrayList<>(rest.jobs());
        running.removeIf(ClusterRest.Job::ended);
        List<Supplier<String>> told = new ArrayList<>();
        for (ClusterRest.Job job : running) {
            String options = rest.options(job.id());
            Optional<Path> known = rest.newestCheckpoint(job.id());
            told.add(() -> cancelled(job.id(), options, known));
        }
        if (!rest.cancel(running.stream().map(ClusterRest.Job::id).toList())) {
            say.accept("not every job ends when it is cancelled; its processes do");
        }
        return told;
    }

    /**
     * How a job goes on.
     *
     * @param known from where, if it has completed no checkpoint here
     */
    private String cancelled(String job, String options, Optional<Path> known) {
        return "job %s is cancelled; %s"
                .formatted(
                        job,
                        CheckpointFolder.newestComplete(folder.checkpoints().resolve(job))
                                .or(() -> known.filter(Files::exists))
                                .map(
                                        c ->
                                                "to go on from its last checkpoint: "
                                                        + folder.resume(c, options))
                                .orElse("it has no checkpoint to go on from"));
    }

    private String unknownJobs() {
        return "the JobManager does not answer, so its jobs are not known; "
                + CheckpointFolder.newestComplete(folder.checkpoints())
                        .map(
                                c ->
                                        "to go on from the newest checkpoint here: "
                                                + folder.resume(c, "")
                                                + ", with the options that its job had")
                        .orElse("no checkpoint is here to go on from");
    }

    /**
     * Ends processes, the last started first, each by TERM, then by KILL.
     *
     * @throws SluiceException if one does not end
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
