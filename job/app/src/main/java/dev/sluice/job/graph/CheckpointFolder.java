package dev.sluice.job.graph;

import dev.sluice.job.FolderLock;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Folder of checkpoints that outlive the process of their job; the next process resumes from the
 * newest.
 *
 * <p>A checkpoint contains the end offset of each partition, or that there is none, and Flink keeps
 * that when it restores. Therefore a bounded job may resume only from a bounded job's checkpoint:
 * an empty file {@value #BOUNDED} beside the checkpoints marks theirs. {@value #IDENTITY}
 * identifies the job of all checkpoints. One process at a time holds the folder.
 */
public final class CheckpointFolder implements AutoCloseable {
    /**
     * Number of complete checkpoints that a job keeps, in case Kafka drops verdicts of the newest.
     */
    public static final int KEPT = 2;

    private static final String BOUNDED = "bounded";
    private static final String IDENTITY = "job.json";
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
     * Opens a folder for a job, and makes it if it is missing.
     *
     * @param bounded whether the job ends
     * @throws SluiceException if the folder cannot be used, another job has it, its newest
     *     checkpoint cannot be read, or only one of that checkpoint's job and this job is bounded
     */
    public static CheckpointFolder open(Path folder, boolean bounded) {
        Path absolute = folder.toAbsolutePath();
        FolderLock lock = lock(folder, absolute);
        try {
            return new CheckpointFolder(absolute, bounded, newest(folder, absolute, bounded), lock);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
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
                "--checkpoints %s cannot be used: %s; name a folder that may be made and written"
                        .formatted(folder, e.getMessage()),
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
                    "the checkpoints in %s are of a job %s --bounded; %s --bounded, or name another folder with --checkpoints"
                            .formatted(
                                    folder,
                                    bounded ? "without" : "with",
                                    bounded ? "leave out" : "add"));
        }
        Path newest = checkpoints.get(checkpoints.size() - 1);
        requireReadable(newest, checkpoints.size() - 1);
        return newest;
    }

    private static Path checkpoints(Path folder) {
        return folder.resolve("checkpoints");
    }

    /**
     * Lists the complete checkpoints of all jobs that ran here, in the order in which they were
     * written.
     */
    private static List<Path> complete(Path checkpoints) throws IOException {
        if (!Files.isDirectory(checkpoints)) {
            return List.of();
        }
        Map<Path, FileTime> written = new HashMap<>();
        FileVisitor<Path> visitor =
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (file.endsWith("_metadata")) {
                            written.put(file.getParent(), attributes.lastModifiedTime());
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e)
                            throws IOException {
                        // Flink renames and deletes files meanwhile.
                        if (e instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw e;
                    }
                };
        Files.walkFileTree(checkpoints, Set.of(), 3, visitor);
        return written.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Tells whether a folder contains a complete checkpoint for a job. */
    public static boolean hasComplete(Path folder) {
        return newestComplete(checkpoints(folder.toAbsolutePath())).isPresent();
    }

    /**
     * Finds the complete checkpoint of all jobs that was written last.
     *
     * @param checkpoints folder in which each job has a folder
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
        } catch (IOException | RuntimeException e) { // damaged bytes cause either
            throw new SluiceException(
                    "checkpoint %s cannot be read: %s; delete it %s"
                            .formatted(
                                    checkpoint,
                                    e.getMessage(),
                                    before > 0
                                            ? "to go on from the one before"
                                            : "to start without a state: no other is there"),
                    e);
        }
    }

    /** Returns the checkpoint from which a job resumes; empty if it starts without one. */
    public Optional<Path> newest() {
        return Optional.ofNullable(newest);
    }

    /** Returns the folder, as an absolute path. */
    public Path path() {
        return folder;
    }

    /**
     * Fails if the checkpoints here belong to another job; otherwise marks the folder as this
     * job's.
     *
     * <p>A folder without a mark counts as this job's.
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

    /** Releases the folder for other jobs. */
    @Override
    public void close() {
        lock.close();
    }

    /** Marks the coming checkpoints as those of a bounded or an unbounded job. */
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
