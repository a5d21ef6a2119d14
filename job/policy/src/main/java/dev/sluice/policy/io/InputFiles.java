package dev.sluice.policy.io;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Input from files and pipes. */
public final class InputFiles {
    private InputFiles() {}

    /**
     * Opens a file, or a pipe.
     *
     * @throws IOException as {@link Files#newInputStream} if it does not exist or may not be read
     */
    public static InputStream open(Path file) throws IOException {
        // A channel seeks to find its size, which a pipe cannot.
        return isPipe(file) ? new FileInputStream(file.toFile()) : Files.newInputStream(file);
    }

    /**
     * Tells whether a path exists and can be read only once, such as a pipe or {@code /dev/stdin}.
     */
    public static boolean isPipe(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }
}
