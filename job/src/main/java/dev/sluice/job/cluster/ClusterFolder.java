package dev.sluice.job.cluster;

import dev.sluice.job.FolderLock;
import dev.sluice.job.ShellWord;
import dev.sluice.job.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;

/**
 * Where a cluster keeps what it has.
 *
 * <pre>
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

    private static final String LOCK = "cluster.lock";

    /**
     * Opens a folder, which is made where it is missing.
     *
     * @throws SluiceException if it cannot be used
     */
    public static ClusterFolder make(Path folder) {
        try {
            ClusterFolder made = new ClusterFolder(Files.createDirectories(folder).toRealPath());
            for (Path part : new Path[] {made.conf(), made.logs(), made.temporary()}) {
                Files.createDirectories(part);
            }
            return made;
        } catch (IOException e) {
            throw new SluiceException(
                    "the folder %s cannot be made or used: %s; name another with --folder"
                            .formatted(folder, e.getMessage()),
                    e);
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

    Path broker() {
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

    /** What a job is to be submitted with, so that its checkpoints lie here and outlive it. */
    public Configuration jobConfiguration() {
        Configuration config = new Configuration();
        ClusterFiles.checkpoints(config, this);
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
     * @throws SluiceException if one does so
     */
    <T> T alone(Work<T> work) throws InterruptedException {
        Optional<FolderLock> lock;
        try {
            lock = FolderLock.take(path, LOCK);
        } catch (IOException e) {
            throw new SluiceException(
                    "the folder %s cannot be written: %s; name another with --folder"
                            .formatted(path, e.getMessage()),
                    e);
        }
        FolderLock held =
                lock.orElseThrow(
                        () ->
                                new SluiceException(
                                        "another command starts or ends the cluster in %s; wait until it has ended"
                                                .formatted(path)));
        try {
            return work.run();
        } finally {
            held.close();
        }
    }
}
