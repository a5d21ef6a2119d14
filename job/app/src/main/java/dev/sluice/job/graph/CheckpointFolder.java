package dev.sluice.job.graph;

import dev.sluice.job.FolderLock;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder whose checkpoints outlive the process of their job: the next one goes on from the
 * newest.
 *
 * <p>A checkpoint holds where each partition ends for its job, or that it does not end, and Flink
 * asks no more about it when it restores. So that a job with an end goes on from one with an end
 * alone, an empty file {@value #BOUNDED} beside the checkpoints says that they are of one, and
 * {@value #IDENTITY} says of which job they all are. One process at a time has the folder.
 */
public final class CheckpointFolder implements AutoCloseable {
    /** Complete checkpoints of a job that are kept: should Kafka drop verdicts of the newest. */
    public static final int KEPT = 2;

    private static final String BOUNDED = "bounded";
    private static final String IDENTITY = "job.properties";
    private static final String LOCK = "lock";

    private final Path folder;
    private final boolean bounded;
    private final @Nullable Path newest;
    private final FolderLock lock;

    private CheckpointFolder(Path folder, boolean bounded, @Nullable Path newest, FolderLock lock) {
        this.folder = folder;
        this.bounded = bounded;
        this.newest = newest;
        this.lock = lock;
    }

    /**
     * Opens a folder, which is made where it is missing, for a job.
     *
     * @param bounded whether the job ends
     * @throws SluiceException if the folder cannot be used, another job has it, its newest
     *     checkpoint cannot be read, or it is of a job that ends where this one does not, or the
     *     other way round
     */
    public static CheckpointFolder open(Path folder, boolean bounded) {
        Path absolute = folder.toAbsolutePath();
        FolderLock lock = lock(folder, absolute);
        boolean opened = false;
        try {
            Path newest = newest(folder, absolute, bounded);
            opened = true;
            return new CheckpointFolder(absolute, bounded, newest, lock);
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static FolderLock lock(Path folder, Path absolute) {
        try {
            Files.createDirectories(absolute);
            return FolderLock.take(absolute, LOCK)
                    .orElseThrow(
                            () ->
                                    new SluiceException(
                                            "--checkpoints %s is in use by another job that runs; stop that one, or name another folder"
                                                    .formatted(folder)));
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    private static SluiceException unusable(Path folder, Exception e) {
        return new SluiceException(
                "--checkpoints "
                        + folder
                        + " cannot be used: "
                        + e.getMessage()
                        + "; name a folder that may be made and written",
                e);
    }

    private static @Nullable Path newest(Path folder, Path absolute, boolean bounded) {
        List<Path> checkpoints;
        try {
            checkpoints = complete(checkpoints(absolute));
        } catch (IOException | UncheckedIOException e) {
            throw unusable(folder, e);
        }
        if (checkpoints.isEmpty()) {
            return null;
        }
        if (Files.exists(absolute.resolve(BOUNDED)) != bounded) {
            throw new SluiceException(
                    "the checkpoints in "
                            + folder
                            + (bounded
                                    ? " are of a job without an end: leave out --bounded, or name another folder with --checkpoints"
                                    : " are of a job with --bounded, which ends where it was to end: say --bounded, or name another folder with --checkpoints"));
        }
        Path newest = checkpoints.get(checkpoints.size() - 1);
        requireReadable(newest, checkpoints.size() - 1);
        return newest;
    }

    private static Path checkpoints(Path folder) {
        return folder.resolve("checkpoints");
    }

    /** Complete checkpoints of all jobs that ran here, the one that was written last at the end. */
    private static List<Path> complete(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(checkpoints, 3)) {
            return files.filter(f -> f.endsWith("_metadata"))
                    .sorted(Comparator.comparing(f -> f.toFile().lastModified()))
                    .map(Path::getParent)
                    .toList();
        }
    }

    /** Whether a job that is given a folder finds a complete checkpoint there. */
    public static boolean hasComplete(Path folder) {
        return newestComplete(checkpoints(folder.toAbsolutePath())).isPresent();
    }

    /**
     * The complete checkpoint that was written last, of all jobs.
     *
     * @param checkpoints folder in which each job has one
     */
    public static Optional<Path> newestComplete(Path checkpoints) {
        try {
            List<Path> all = complete(checkpoints);
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
        } catch (IOException | UncheckedIOException e) {
            throw new SluiceException(
                    "the checkpoints in %s cannot be listed: %s"
                            .formatted(checkpoints, e.getMessage()),
                    e);
        }
    }

    private static void requireReadable(Path checkpoint, int before) {
        try {
            SavedJob.metadata(checkpoint);
        } catch (IOException | RuntimeException e) { // broken bytes fail in either way
            throw new SluiceException(
                    "checkpoint "
                            + checkpoint
                            + " cannot be read: "
                            + e.getMessage()
                            + "; delete it "
                            + (before > 0
                                    ? "to go on from the one before"
                                    : "to start without a state: no other is there"),
                    e);
        }
    }

    /** The checkpoint that a job goes on from; empty if it starts without one. */
    public Optional<Path> newest() {
        return Optional.ofNullable(newest);
    }

    /** The folder, absolute. */
    public Path path() {
        return folder;
    }

    /**
     * Fails if the checkpoints here are of another job; else notes that those to come are of this
     * one. Folders of before say nothing, and are taken as this job's.
     *
     * @throws SluiceException naming what differs
     */
    public void claim(JobIdentity job) {
        Path file = folder.resolve(IDENTITY);
        if (newest != null) {
            JobIdentity.read(file)
                    .flatMap(before -> before.differs(job))
                    .ifPresent(
                            difference -> {
                                throw new SluiceException(
                                        "the checkpoints in %s are of another job: %s; name another folder with --checkpoints"
                                                .formatted(folder, difference));
                            });
        }
        job.write(file);
    }

    /** Lets other jobs have the folder. */
    @Override
    public void close() {
        lock.close();
    }

    /** Notes which kind of job the checkpoints to come are of. */
    void begin() {
        Path marker = folder.resolve(BOUNDED);
        try {
            if (bounded && !Files.exists(marker)) {
                Files.createFile(marker);
            } else if (!bounded) {
                Files.deleteIfExists(marker);
            }
        } catch (IOException e) {
            throw new SluiceException(
                    "--checkpoints " + folder + " cannot be written: " + e.getMessage(), e);
        }
    }
}
