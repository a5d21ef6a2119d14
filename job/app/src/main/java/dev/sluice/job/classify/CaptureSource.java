package dev.sluice.job.classify;

import dev.sluice.job.UsageException;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Source of a capture.
 *
 * @param path a file or FIFO, or {@link #STANDARD_INPUT}
 */
public record CaptureSource(Path path) {
    /** Path that stands for standard input. */
    public static final Path STANDARD_INPUT = Path.of("-");

    /**
     * Returns the captures of a command, in their order.
     *
     * @throws UsageException if standard input is named twice
     * @throws SluiceException naming the first capture that does not exist or may not be read
     */
    public static List<CaptureSource> all(List<Path> paths) {
        List<CaptureSource> sources = paths.stream().map(CaptureSource::new).toList();
        requireOneStandardInput(paths);
        for (CaptureSource source : sources) {
            if (Files.isDirectory(source.path)) {
                throw new SluiceException(
                        "capture %s is a folder; name the files in it, as %s"
                                .formatted(source.path, source.path.resolve("*.pcap")));
            }
            if (!source.isReadable()) {
                throw new SluiceException(
                        "capture %s does not exist or may not be read; check the path"
                                .formatted(source.path));
            }
        }
        return sources;
    }

    /**
     * Tells whether one of several captures is live traffic, which ends only when somebody ends it.
     */
    public static boolean areLive(List<Path> paths) {
        return paths.stream()
                .anyMatch(path -> path.equals(STANDARD_INPUT) || InputFiles.isPipe(path));
    }

    /** Tells whether the capture exists and may be read. */
    public boolean isReadable() {
        return isStandardInput() || Files.isReadable(path) && !Files.isDirectory(path);
    }

    /** Tells whether the capture is standard input. */
    public boolean isStandardInput() {
        return path.equals(STANDARD_INPUT);
    }

    /**
     * Refuses standard input that is named twice.
     *
     * @throws UsageException if it is
     */
    public static void requireOneStandardInput(List<Path> paths) {
        if (paths.stream().filter(STANDARD_INPUT::equals).count() > 1) {
            throw new UsageException("standard input is one capture; name - once");
        }
    }

    /** Opens the capture's bytes. */
    public InputStream open() throws IOException {
        return isStandardInput() ? new FileInputStream(FileDescriptor.in) : InputFiles.open(path);
    }
}
