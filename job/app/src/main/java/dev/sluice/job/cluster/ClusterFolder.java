package dev.sluice.job.cluster;

import dev.sluice.job.FolderLock;
import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;

/**
 * Where a cluster keeps what it has.
 *
 * <pre>
 * cluster.lock   says whose the folder is, and is locked while the cluster starts or ends
 * cluster.json   its processes and addresses, as long as it is up
 * conf/          config.yaml of Flink, log4j2.properties
 * logs/          NAME.log of each process, rolled by size; NAME.out: what it prints
 * broker/        topics of its broker
 * checkpoints/   of its jobs, one folder each; savepoints/
 * tmp/           emptied when the cluster starts and when it has ended
 * </pre>
 *
 * @param path absolute, without links
 */
public record ClusterFolder(Path path) {
    /** Where a cluster lies that is not told otherwise. */
    public static final String USUAL = "sluice-cluster";

    /** First line of {@link #config}. */
    static final String HEAD = "# Written by 'sluice cluster up' each time.\n";

    private static final String LOCK = "cluster.lock";

    /** The cluster's watch has the lock while it starts a process. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(3);

    private static final long LOOK_MILLIS = 100;

    /**
     * Opens a folder, which is made where it is missing.
     *
     * @throws UsageException if it holds files, but no cluster's; nothing is touched then
     * @throws SluiceException if it cannot be used
     */
    public static ClusterFolder make(Path folder) {
        ClusterFolder made;
        try {
            requireOwn(folder);
            TextFiles.makeFolder(folder);
            made = new ClusterFolder(folder.toRealPath());
            made.mark();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeMaking(folder, e), e);
        }
        for (Path part : List.of(made.conf(), made.logs(), made.temporary())) {
            TextFiles.makeFolder(part);
        }
        return made;
    }

    /** Files of others are neither deleted nor written over. */
    private static void requireOwn(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        ClusterFolder there = new ClusterFolder(folder.toRealPath());
        if (!there.isMarked() && !isEmpty(folder)) {
            throw new UsageException(
                    "--cluster %s is not empty, and of no cluster; name a new one, as in --cluster %s"
                            .formatted(folder, ShellWord.of(folder.resolve(USUAL))));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /** Whether a cluster was made here: it has left its lock, or else its configuration. */
    private boolean isMarked() throws IOException {
        if (Files.isRegularFile(path.resolve(LOCK))) {
            return true;
        }
        Path config = config();
        if (!Files.isRegularFile(config)) {
            return false;
        }
        byte[] head = HEAD.getBytes(StandardCharsets.UTF_8);
        try (InputStream in = Files.newInputStream(config)) {
            return Arrays.equals(head, in.readNBytes(head.length));
        }
    }

    /** Before anything else: a start that is broken off leaves the folder a cluster's. */
    private void mark() throws IOException {
        try {
            Files.createFile(path.resolve(LOCK));
        } catch (FileAlreadyExistsException e) {
            // Not opened: to close it would give back what this process has locked.
        }
    }

    /** A folder that may or may not be there. */
    public static ClusterFolder of(Path folder) {
        try {
            return new ClusterFolder(
                    Files.isDirectory(folder) ? folder.toRealPath() : folder.toAbsolutePath());
        } catch (IOException e) {
            throw new SluiceException(
                    "the folder %s cannot be used: %s".formatted(folder, e.getMessage()), e);
        }
    }

    Path state() {
        return path.resolve("cluster.json");
    }

    Path conf() {
        return path.resolve("conf");
    }

    /** Configuration of Flink's processes. */
    Path config() {
        return conf().resolve("config.yaml");
    }

    /** Logs of all processes. */
    public Path logs() {
        return path.resolve("logs");
    }

    Path log(String role) {
        return logs().resolve(role + ".log");
    }

    Path printed(String role) {
        return logs().resolve(role + ".out");
    }

    /** Data of its broker. */
    public Path broker() {
        return path.resolve("broker");
    }

    /** Checkpoints of its jobs. */
    public Path checkpoints() {
        return path.resolve("checkpoints");
    }

    /** Savepoints of its jobs that are told no other place. */
    public Path savepoints() {
        return path.resolve("savepoints");
    }

    Path temporary() {
        return path.resolve("tmp");
    }

    /**
     * The command by which a job goes on.
     *
     * @param from savepoint or checkpoint
     * @param options of the job, as a shell takes them
     */
    String resume(Path from, String options) {
        return "sluice resume %s --cluster %s %s"
                .formatted(ShellWord.of(from), ShellWord.of(path), options)
                .stripTrailing();
    }

    /** Configuration of a job whose checkpoints lie here, and outlive job and cluster. */
    public Configuration jobConfiguration() {
        Configuration config = new Configuration();
        config.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, FlinkPaths.text(checkpoints()));
        config.set(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS, CheckpointFolder.KEPT);
        config.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, FlinkPaths.text(savepoints()));
        config.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        return config;
    }

    /** Deletes what processes that have ended have left behind in {@link #temporary()}. */
    void emptyTemporary() {
        try (Stream<Path> files = Files.walk(temporary())) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (!file.equals(temporary())) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new SluiceException(
                    "%s cannot be emptied: %s".formatted(temporary(), e.getMessage()), e);
        }
    }

    /** What is done while no other command starts or ends the cluster. */
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /**
     * Does something, and keeps other commands from starting or ending this cluster meanwhile.
     *
     * @throws SluiceException if one does so for longer than a process takes to start
     */
    @SuppressWarnings("try") // the lock is held, and not used otherwise
    <T> T alone(Work<T> work) throws InterruptedException {
        try (FolderLock held = lock()) {
            return work.run();
        }
    }

    private FolderLock lock() throws InterruptedException {
        long until = System.nanoTime() + LOCK_PATIENCE.toNanos();
        try {
            while (true) {
                Optional<FolderLock> lock = FolderLock.take(path, LOCK);
                if (lock.isPresent()) {
                    return lock.get();
                }
                if (System.nanoTime() > until) {
                    throw new SluiceException(
                            "another command starts or ends the cluster in %s; wait until it has ended"
                                    .formatted(path));
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeMaking(path, e), e);
        }
    }
}
