package dev.sluice.job.cluster;

import dev.sluice.job.FolderLock;
import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.FlinkPaths;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.util.FileUtils;

/**
 * Folder of a cluster's files.
 *
 * <pre>
 * cluster.lock   marks the folder as a cluster's; locked while the cluster starts or ends
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
    /** Default folder of a cluster, below the current one. */
    public static final String USUAL = "sluice-cluster";

    /** First line of {@link #config}. */
    static final String HEAD = "# Written by 'sluice cluster up' each time.\n";

    /** Name of the file of logging settings in {@link #conf}. */
    static final String LOGGING = "log4j2.properties";

    private static final String LOCK = "cluster.lock";

    /**
     * How long a command waits for the lock; the cluster's watch holds it while it starts a
     * process.
     */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(3);

    private static final long LOOK_MILLIS = 100;

    /**
     * Opens a folder, and makes it if it is missing.
     *
     * @throws UsageException if the folder holds files but no cluster's; nothing is touched then
     * @throws SluiceException if the folder cannot be used
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

    /** Refuses a folder with other files, so that none of them is deleted or overwritten. */
    private static void requireOwn(Path folder) throws IOException {
        if (Files.isDirectory(folder)
                && !Files.isRegularFile(folder.resolve(LOCK))
                && !isEmpty(folder)) {
            throw new UsageException(
                    "--cluster %s is a folder with other files; name a new folder, as in --cluster %s"
                            .formatted(folder, ShellWord.of(folder.resolve(USUAL))));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /**
     * Creates the lock file first, so that an interrupted start leaves the folder marked as a
     * cluster's.
     */
    private void mark() throws IOException {
        try {
            Files.createFile(path.resolve(LOCK));
        } catch (FileAlreadyExistsException e) {
            // Not opened: closing the file would release a lock that this process holds.
        }
    }

    /** Returns a folder that may or may not exist. */
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

    /** Returns the path of Flink's configuration file. */
    Path config() {
        return conf().resolve("config.yaml");
    }

    /** Returns the folder of all processes' logs. */
    public Path logs() {
        return path.resolve("logs");
    }

    Path log(String role) {
        return logs().resolve(role + ".log");
    }

    Path printed(String role) {
        return logs().resolve(role + ".out");
    }

    /** Returns the folder of its broker's data. */
    public Path broker() {
        return path.resolve("broker");
    }

    /** Returns the folder of its jobs' checkpoints. */
    public Path checkpoints() {
        return path.resolve("checkpoints");
    }

    /** Returns the default folder of its jobs' savepoints. */
    public Path savepoints() {
        return path.resolve("savepoints");
    }

    Path temporary() {
        return path.resolve("tmp");
    }

    /**
     * Returns the command that resumes a job.
     *
     * @param from savepoint or checkpoint
     * @param options of the job, quoted for a shell
     */
    String resume(Path from, String options) {
        boolean archive = options.startsWith(SubmittedOptions.ARCHIVE);
        return "sluice %s--savepoint %s --cluster %s %s"
                .formatted(
                        archive ? SubmittedOptions.ARCHIVE : "run ",
                        ShellWord.of(from),
                        ShellWord.of(path),
                        archive ? options.substring(SubmittedOptions.ARCHIVE.length()) : options)
                .stripTrailing();
    }

    /**
     * Returns the configuration of a submitted job: its checkpoints lie in this folder and outlive
     * it.
     */
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

    /** Deletes the files that ended processes have left in {@link #temporary()}. */
    void emptyTemporary() {
        try {
            FileUtils.cleanDirectory(temporary().toFile());
        } catch (IOException e) {
            throw new SluiceException(
                    "%s cannot be emptied: %s".formatted(temporary(), e.getMessage()), e);
        }
    }

    /** Work that excludes other commands which start or end the cluster. */
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /**
     * Runs work while no other command can start or end this cluster.
     *
     * @throws SluiceException if another command does so for longer than a process takes to start
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
