package dev.sluice.policy.io;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are read, whatever their names stand for. */
public final class InputFiles {
    private InputFiles() {}

    /**
     * Opens a file, or a pipe.
     *
     * @throws IOException as {@link Files#newInputStream} if it is not there or may not be read
     */
    public static InputStream open(Path file) throws IOException {
        // A channel seeks to tell what is there, which a pipe cannot.
        return isPipe(file) ? new FileInputStream(file.toFile()) : Files.newInputStream(file);
    }

    /** Tells whether it is there and cannot be read twice, as a pipe or {@code /dev/stdin}. */
    public static boolean isPipe(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }
}
