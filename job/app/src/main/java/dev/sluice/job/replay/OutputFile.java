package dev.sluice.job.replay;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.CompleteFile;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A text file that is written, and has its name when it is {@link #complete}; every failure names
 * it, and not the disk of temporary files.
 */
public final class OutputFile implements LineBytes.Output, AutoCloseable {
    private final Path file;
    private final CompleteFile to;

    /**
     * A file that gets its name when it is complete.
     *
     * @throws SluiceException if it cannot be written, as from the methods
     */
    public OutputFile(Path file) {
        this(file, CompleteFile::open);
    }

    private OutputFile(Path file, Opening opening) {
        this.file = file;
        try {
            to = opening.open(file);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private interface Opening {
        CompleteFile open(Path file) throws IOException;
    }

    /** A file that has its name from the start, empty or emptied. */
    public static OutputFile growing(Path file) {
        return new OutputFile(file, CompleteFile::growing);
    }

    @Override
    public void write(LineBytes lines) {
        try {
            lines.writeTo(to.out());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() {
        try {
            to.out().flush();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Writes what is in the buffer, and gives the file its name. */
    public void complete() {
        try {
            to.complete();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Leaves what was written beside the file; returns where. */
    public Path keep() {
        try {
            return to.keep();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        try {
            to.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private SluiceException failed(IOException e) {
        return new SluiceException(TextFiles.describeWriting(file, e), e);
    }
}
