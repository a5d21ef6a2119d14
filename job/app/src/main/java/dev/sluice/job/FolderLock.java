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
 * A folder that one holder has for itself. It is given back when this is closed, or when the
 * process ends, however it ends.
 */
public final class FolderLock implements AutoCloseable {
    private final FileChannel file;

    private FolderLock(FileChannel file) {
        this.file = file;
    }

    /**
     * Takes a folder.
     *
     * @param name of the file in it that is locked, and made where it is missing
     * @return empty if another process, or another holder in this one, has it
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
            return null; // by another holder of this process
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
