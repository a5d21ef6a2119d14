package dev.sluice.job.submit;

import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.JobIdentity;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.graph.Recovery;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.watch.Interruption;
import dev.sluice.job.watch.JobWatch;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.jspecify.annotations.Nullable;

/** An embedded Flink cluster of this process, whose jobs end with the process. */
public final class ThisProcess implements Target {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final int parallelism;
    private final @Nullable Path checkpoints;
    private final @Nullable CheckpointFolder kept;

    /**
     * This process.
     *
     * @param checkpoints folder whose checkpoints outlive the process; null: none do
     * @param bounded whether the job ends by itself
     * @throws SluiceException if the folder cannot be used for such a job
     */
    public ThisProcess(int parallelism, @Nullable Path checkpoints, boolean bounded) {
        this.parallelism = parallelism;
        this.checkpoints = checkpoints;
        this.kept = checkpoints == null ? null : CheckpointFolder.open(checkpoints, bounded);
    }

    @Override
    public int parallelism() {
        return parallelism;
    }

    @Override
    public boolean goesOn() {
        return kept != null && kept.newest().isPresent();
    }

    @Override
    public Optional<String> writer() {
        return Optional.empty();
    }

    @Override
    public void claim(SubmittedOptions given, JobIdentity identity) {
        if (kept != null) {
            kept.claim(identity);
        }
    }

    @Override
    @SuppressWarnings("try") // the hold is kept, and not used otherwise
    public boolean run(Job job, JobConsole console) throws Exception {
        Path parent = TemporaryDirectory.parent();
        List<Path> folders =
                kept == null
                        ? Stream.concat(job.written().stream(), Stream.of(parent)).toList()
                        : List.of(kept.path());
        try (ArchiveFiles.Held alone = job.hold();
                Interruption interruption = console.begin();
                FullDiskFilter disks = new FullDiskFilter(folders).begin();
                TemporaryDirectory files = kept == null ? new TemporaryDirectory(parent) : null) {
            if (kept != null) {
                kept.newest().ifPresent(c -> console.say("the job goes on from checkpoint " + c));
            }
            try (LocalFlink local = start(job, files)) {
                join(local, job, console, interruption, disks);
                return job.report(local, console);
            } catch (SluiceException e) {
                throw disks.named(e);
            }
        }
    }

    private LocalFlink start(Job job, @Nullable TemporaryDirectory files) {
        if (kept != null) {
            return LocalFlink.resume(job::build, job.bounded(), parallelism, kept);
        }
        Configuration config = LocalFlink.configuration(Objects.requireNonNull(files).path());
        if (!job.bounded()) {
            Recovery.inProcess(config);
        }
        return LocalFlink.start(job::build, parallelism, config);
    }

    /**
     * Shows where the job stands until it ends. One without an end ends when it is stopped.
     *
     * @throws SluiceException if one that has an end was stopped
     */
    private void join(
            LocalFlink local,
            Job job,
            JobConsole console,
            Interruption interruption,
            FullDiskFilter disks)
            throws InterruptedException {
        console.say("the job runs in this process; " + job.end());
        String stopped = null;
        try (StatusLine line = console.line()) {
            JobWatch shown = console.watch(local::figures, line);
            while (stopped == null && !local.endsWithin(LOOK)) {
                local.restart().ifPresent(line::println);
                disks.told().ifPresent(line::println);
                shown.look();
                stopped = interruption.isAsked() ? shown.interrupted(next(job)) : null;
            }
        }
        if (stopped != null && job.bounded()) {
            throw new SluiceException(stopped);
        }
        if (stopped != null) {
            console.say(stopped);
            return;
        }
        Optional<Outcomes> outcomes = local.join();
        console.say("the job has ended: every packet that it was to read is judged");
        outcomes.ifPresentOrElse(
                console::print,
                () ->
                        console.say(
                                "how many packets these were is not known: all had been read before the job was restarted; see the topics"));
    }

    private String next(Job job) {
        if (checkpoints != null && CheckpointFolder.hasComplete(checkpoints)) {
            return "the same command goes on from the newest checkpoint in " + checkpoints;
        }
        return job.next(checkpoints == null ? "without --checkpoints" : "without a checkpoint");
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close();
        }
    }
}
