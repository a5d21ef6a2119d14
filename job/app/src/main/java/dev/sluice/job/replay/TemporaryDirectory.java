package dev.sluice.job.replay;

import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

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

    // Without Kafka's own deletion, which the archive for machines with a GPU does not carry.
    private void removeAll() {
        try {
            Files.walkFileTree(
                    path,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            Files.deleteIfExists(file);
                            return FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFileFailed(Path file, IOException e) {
                            return FileVisitResult.CONTINUE; // gone meanwhile
                        }

                        @Override
                        public FileVisitResult postVisitDirectory(Path folder, IOException e)
                                throws IOException {
                            Files.deleteIfExists(folder);
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            System.err.println(
                    "sluice: temporary files in %s could not all be removed: %s"
                            .formatted(path, e.getMessage()));
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
