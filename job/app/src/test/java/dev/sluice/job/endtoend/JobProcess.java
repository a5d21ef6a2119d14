package dev.sluice.job.endtoend;

import dev.sluice.job.Topics;
import dev.sluice.job.graph.SluiceJob;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;

/** {@code sluice run} in a process of its own, which a test can kill. */
final class JobProcess extends SluiceProcess {
    /**
     * A checkpoint that the job completed.
     *
     * @param id its number, which goes on from the checkpoint that the job was resumed from
     * @param parallelism instances of the classify operator
     * @param stateBytes size of that operator's state
     * @param sourcesEnded whether the source of packets had read all that it was to read
     */
    record Checkpoint(long id, int parallelism, long stateBytes, boolean sourcesEnded) {}

    private static final Duration PATIENCE = Duration.ofSeconds(100);

    /** Where Flink keeps a folder of checkpoints for each job that ever ran here. */
    private final Path checkpoints;

    private final Set<Path> foldersOfJobsBefore;

    /**
     * Starts a job.
     *
     * @param directory its {@code --checkpoints}
     * @param log takes what it prints, behind what is there
     * @param arguments of the command line, from {@code run} on
     */
    JobProcess(Path directory, Path log, Object... arguments) throws IOException {
        this(of(directory), jobFolders(of(directory)), log, arguments);
    }

    /**
     * Starts a job on all packets of topics, with a checkpoint every 200 ms. The job on these
     * topics goes on that was here before.
     *
     * @param folder takes checkpoints and log, which are named after the topics
     */
    static JobProcess start(Topics topics, Path folder, int parallelism, Object... more)
            throws IOException {
        String name = topics.names().verdicts();
        Path checkpoints = folder.resolve(name + "-checkpoints");
        List<Object> words = new ArrayList<>(List.of("--checkpoints", checkpoints));
        words.addAll(List.of("--checkpoint-interval", 200, "--parallelism", parallelism));
        words.addAll(List.of(more));
        return new JobProcess(
                checkpoints, folder.resolve(name + ".log"), topics.job(words.toArray()));
    }

    /** When a job that does not get on is given up. */
    static long deadline() {
        return System.nanoTime() + PATIENCE.toNanos();
    }

    /** Fails if the job has ended, or does not get on. */
    void requireRunning(long deadline) throws IOException {
        requireRunning();
        if (System.nanoTime() > deadline) {
            throw new AssertionError("the job does not get on:\n" + printed());
        }
    }

    private JobProcess(Path checkpoints, Set<Path> before, Path log, Object... arguments)
            throws IOException {
        super(log, arguments);
        this.checkpoints = checkpoints;
        foldersOfJobsBefore = before;
    }

    private static Path of(Path directory) {
        return directory.resolve("checkpoints");
    }

    private static Set<Path> jobFolders(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return Set.of();
        }
        try (Stream<Path> folders = Files.list(checkpoints)) {
            return folders.collect(Collectors.toSet());
        }
    }

    /** The newest checkpoint that this process has completed: it was not there when it started. */
    Optional<Checkpoint> newestCheckpoint() throws IOException {
        Optional<Checkpoint> newest = Optional.empty();
        for (Path folder : jobFolders(checkpoints)) {
            if (foldersOfJobsBefore.contains(folder)) {
                continue;
            }
            List<Path> complete;
            try (Stream<Path> files = Files.walk(folder, 2)) {
                complete = files.filter(f -> f.endsWith("_metadata")).toList();
            } catch (UncheckedIOException e) {
                continue; // a checkpoint was removed meanwhile: a newer one is complete
            }
            for (Path metadata : complete) {
                Optional<Checkpoint> read = read(metadata);
                if (read.isPresent() && (newest.isEmpty() || newest.get().id() < read.get().id())) {
                    newest = read;
                }
            }
        }
        return newest;
    }

    private static Optional<Checkpoint> read(Path file) throws IOException {
        CheckpointMetadata metadata;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            metadata =
                    Checkpoints.loadCheckpointMetadata(
                            in, JobProcess.class.getClassLoader(), file.getParent().toString());
        } catch (IOException e) {
            if (Files.exists(file)) {
                throw e;
            }
            return Optional.empty(); // removed meanwhile
        }
        OperatorState classify = state(metadata, "classify");
        return Optional.of(
                new Checkpoint(
                        metadata.getCheckpointId(),
                        classify.getParallelism(),
                        classify.getStateSize(),
                        state(metadata, SluiceJob.PACKETS_SOURCE).isFullyFinished()));
    }

    private static OperatorState state(CheckpointMetadata metadata, String uid) {
        return metadata.getOperatorStates().stream()
                .filter(state -> state.getOperatorUid().filter(uid::equals).isPresent())
                .findAny()
                .orElseThrow(() -> new AssertionError("no operator with the uid " + uid));
    }
}
