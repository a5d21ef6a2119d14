package dev.sluice.job.submit;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.filter.AbstractFilter;

/**
 * Filter of this process's log that drops what Flink says of a full disk, a stack trace for each
 * file and checkpoint; one line a minute takes its place, with the folder.
 */
final class FullDiskFilter extends AbstractFilter implements AutoCloseable {
    private static final long EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    /** A disk with less takes no checkpoint. */
    private static final long LEAST_BYTES = 64 << 10;

    private final List<Path> folders;
    private volatile boolean full;
    private long toldNanos = System.nanoTime() - EVERY_NANOS;

    /**
     * Filter for a job of this process.
     *
     * @param folders that the job writes into, one at least
     */
    FullDiskFilter(List<Path> folders) {
        this.folders = List.copyOf(folders);
        start();
    }

    /** Drops such messages from now on. */
    FullDiskFilter begin() {
        if (LogManager.getContext(false) instanceof LoggerContext context) {
            context.getConfiguration().getRootLogger().addFilter(this);
        }
        return this;
    }

    @Override
    public Result filter(LogEvent event) {
        if (!DiskSpace.isFull(event.getThrown())) {
            return Result.NEUTRAL;
        }
        full = true;
        return Result.DENY;
    }

    /** Tells that a disk is full, at most once a minute, whatever the log's level lets through. */
    Optional<String> told() {
        if (System.nanoTime() - toldNanos < EVERY_NANOS
                || !full && fullest().toFile().getUsableSpace() >= LEAST_BYTES) {
            return Optional.empty();
        }
        full = false;
        toldNanos = System.nanoTime();
        return Optional.of(
                "no space left in %s: nothing is committed until a checkpoint can be written; free some"
                        .formatted(room()));
    }

    /** A failure that names the fullest folder, where one is of a full disk; else the failure. */
    SluiceException named(SluiceException failure) {
        return DiskSpace.isFull(failure)
                ? new SluiceException(
                        "no space left in %s; free some, or name a folder on a larger disk"
                                .formatted(room()),
                        failure)
                : failure;
    }

    private String room() {
        Path folder = fullest();
        return "%s (%d MiB free)".formatted(folder, folder.toFile().getUsableSpace() >> 20);
    }

    private Path fullest() {
        return folders.stream()
                .min(Comparator.comparingLong(folder -> folder.toFile().getUsableSpace()))
                .orElseThrow();
    }

    @Override
    public void close() {
        if (LogManager.getContext(false) instanceof LoggerContext context) {
            context.getConfiguration().getRootLogger().removeFilter(this);
        }
    }
}
