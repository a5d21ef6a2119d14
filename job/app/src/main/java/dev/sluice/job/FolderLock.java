package dev.sluice.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive lock of a folder, released by {@link #close} or at the end of the process, however it
 * ends.
 */
public final class FolderLock implements AutoCloseable {
    private final FileChannel file;

    private FolderLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Takes the lock of a folder.
     *
     * @param name of the lock file in it, which is made if it is missing
     * @return empty if another process, or another holder in this one, has the lock
     * @throws IOException if the file cannot be made
     */
    public static Optional<FolderLock> take(Path folder, String name) throws IOException {
        FileChannel file =
                FileChannel.open(
                        folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock taken = null;
        try {
            taken = taken(file);
        } finally {
            if (taken == null) {
                file.close();
            }
        }
        return taken == null ? Optional.empty() : Optional.of(new FolderLock(file));
    }

    private static @Nullable FileLock taken(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // locked by another holder of this process
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the lock of a folder is not given back", e);
        }
    }
}
