package dev.sluice.job.replay;

import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.TextFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A text file that is written; every failure names it, and not the disk of temporary files. */
public final class OutputFile implements LineBytes.Output, AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final OutputStream out;

    /**
     * A file, empty or emptied.
     *
     * @throws SluiceException if it cannot be written, as from the methods
     */
    public OutputFile(Path file) {
        this.file = file;
        try {
            out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void write(LineBytes lines) {
        try {
            lines.writeTo(out);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void flush() {
        try {
            out.flush();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Writes what is in the buffer, and ends. */
    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private SluiceException failed(IOException e) {
        return new SluiceException(TextFiles.describeWriting(file, e), e);
    }
}
