package dev.sluice.job.replay;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Temporary directory of one run, removed at its end. It fails early when its disk fills up. */
public final class TemporaryDirectory implements AutoCloseable {
    private final Path path;
    private final Thread atExit;

    /** Returns the default parent of temporary directories. */
    public static Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    }

    /**
     * Makes a new directory.
     *
     * @param parent existing directory in which it is made
     * @throws SluiceException if that is impossible or the disk is full
     */
    public TemporaryDirectory(Path parent) {
        try {
            if (!Files.isDirectory(parent)) {
                throw new SluiceException(
                        "temporary folder %s does not exist; create it, or set TMPDIR (or --temp-dir where the command has it)"
                                .formatted(parent));
            }
            path = Files.createTempDirectory(parent, "sluice-");
        } catch (IOException e) {
            throw new SluiceException(
                    "no temporary folder can be made in %s: %s; set TMPDIR (or --temp-dir where the command has it)"
                            .formatted(parent, e.getMessage()),
                    e);
        }
        atExit = new Thread(this::removeAll);
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            requireSpace();
        } catch (SluiceException e) {
            close();
            throw e;
        }
    }

    /** Returns the directory. */
    public Path path() {
        return path;
    }

    /** Fails with one line if the disk is nearly full. */
    public void requireSpace() {
        DiskSpace.require(
                path,
                "temporary files",
                "set TMPDIR (or --temp-dir where the command has it) to a larger disk");
    }

    private void removeAll() {
        IOException failure = remove(path);
        if (failure != null) {
            System.err.println(
                    "sluice: temporary files in %s could not all be removed (%s); remove them by hand"
                            .formatted(path, failure));
        }
    }

    /**
     * Removes a file or a folder, of which files may vanish meanwhile.
     *
     * @return the first failure; null: none
     */
    private static @Nullable IOException remove(Path file) {
        IOException failure = null;
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> inner = Files.newDirectoryStream(file)) {
                for (Path one : inner) {
                    IOException of = remove(one);
                    failure = failure == null ? of : failure;
                }
            } catch (DirectoryIteratorException e) {
                failure = e.getCause();
            } catch (NoSuchFileException e) {
                return null; // gone meanwhile
            } catch (IOException e) {
                failure = e;
            }
        }
        try {
            Files.deleteIfExists(file);
            return null;
        } catch (IOException e) {
            return failure == null ? e : failure;
        }
    }

    @Override
    public void close() {
        removeAll();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            return; // the process is ending: the hook runs anyway
        }
    }
}
