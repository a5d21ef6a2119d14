package dev.sluice.policy.io;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Output file that gets its name when it is complete.
 *
 * <p>Until then its bytes are in a file beside it, {@code NAME.part}, which only one command at a
 * time writes. A former file of that name stays until completion, and if the command fails or is
 * interrupted. Pipes and devices are written directly.
 */
public final class CompleteFile implements Closeable {
    private static final String PART = ".part";

    /** Maximal length of a chain of links, as in Linux. */
    private static final int MOST_LINKS = 40;

    private final Path file;

    /** Partial file; null: the file itself is written. */
    private final @Nullable Path part;

    private final FileChannel channel;
    private final OutputStream out;
    private boolean done;

    private CompleteFile(Path file, @Nullable Path part, FileChannel channel) {
        this.file = file;
        this.part = part;
        this.channel = channel;
        out =
                new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16) {
                    @Override
                    public void close() throws IOException {
                        flush(); // the channel stays open until the file has its name
                    }
                };
    }

    /**
     * Opens a file that gets its name by {@link #complete}.
     *
     * @throws IOException if it cannot be written
     * @throws SluiceException if another command writes it
     */
    public static CompleteFile open(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return new CompleteFile(file, null, FileChannel.open(file, StandardOpenOption.WRITE));
        }
        Path real = real(file);
        Path part = real.resolveSibling(real.getFileName() + PART);
        if (Files.exists(real)) {
            FileChannel.open(real, StandardOpenOption.WRITE).close(); // checks the permission
        }
        while (true) {
            FileChannel channel = locked(file, part);
            if (Files.exists(part, LinkOption.NOFOLLOW_LINKS)) {
                channel.truncate(0); // the remains of a killed command
                return new CompleteFile(real, part, channel);
            }
            channel.close(); // another command has just completed it
        }
    }

    /**
     * Opens a file that has its name from the start, for readers that follow its growth.
     *
     * @throws IOException if it cannot be written
     * @throws SluiceException if another command writes it
     */
    public static CompleteFile growing(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return open(file);
        }
        FileChannel channel = locked(file, file);
        channel.truncate(0);
        return new CompleteFile(file, null, channel);
    }

    private static Path real(Path file) throws IOException {
        if (Files.exists(file)) {
            return file.toRealPath();
        }
        Path at = file.toAbsolutePath();
        for (int i = 0; i < MOST_LINKS && Files.isSymbolicLink(at); i++) {
            at = at.resolveSibling(Files.readSymbolicLink(at));
        }
        if (Files.isSymbolicLink(at)) {
            throw new FileSystemException(file.toString(), null, "its links lead in a circle");
        }
        return at;
    }

    private static FileChannel locked(Path file, Path written) throws IOException {
        FileChannel channel =
                FileChannel.open(written, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean taken = false;
        try {
            taken = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            taken = false; // locked by another command of this process
        } finally {
            if (!taken) {
                channel.close();
            }
        }
        if (!taken) {
            throw new SluiceException(
                    "file %s is written by another command; wait for its end, or name another file"
                            .formatted(file));
        }
        return channel;
    }

    /** Returns the buffered stream to the file; closing the stream flushes it. */
    public OutputStream out() {
        return out;
    }

    /** Flushes the bytes, and gives the file its name. Nothing can be written afterwards. */
    public void complete() throws IOException {
        out.flush();
        if (part != null) {
            // The lock is held until the file has its name.
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
        done = true;
    }

    /**
     * Keeps the partial file, although it is not complete.
     *
     * @return its path
     */
    public Path keep() throws IOException {
        out.flush();
        done = true;
        return part == null ? file : part;
    }

    /** Closes the file; removes it if it is neither complete nor kept. */
    @Override
    public void close() throws IOException {
        if (part != null && !done) {
            Files.deleteIfExists(part);
        }
        channel.close();
    }
}
