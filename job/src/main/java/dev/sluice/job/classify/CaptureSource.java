package dev.sluice.job.classify;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a capture comes from.
 *
 * @param path a file or FIFO, or {@link #STANDARD_INPUT}
 */
public record CaptureSource(Path path) {
    /** Names standard input. */
    public static final Path STANDARD_INPUT = Path.of("-");

    /** Whether it is there and may be read. */
    public boolean isReadable() {
        return isStandardInput() || Files.isReadable(path) && !Files.isDirectory(path);
    }

    /** Whether it is standard input. */
    public boolean isStandardInput() {
        return path.equals(STANDARD_INPUT);
    }

    InputStream open() throws IOException {
        return isStandardInput()
                ? new FileInputStream(FileDescriptor.in)
                : Files.newInputStream(path);
    }
}
