package dev.sluice.job.replay;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.CompleteFile;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Text file that gets its name when it is {@link #complete}.
 *
 * <p>Every failure names this file, not the disk of temporary files.
 */
public final class OutputFile implements LineBytes.Output, AutoCloseable {
    private final Path file;
    private final CompleteFile to;

    /**
     * Opens a file that gets its name when it is complete.
     *
     * @throws SluiceException if it cannot be written; the methods throw it likewise
     */
    public OutputFile(Path file) {
        this(file, CompleteFile::open);
    }

    private OutputFile(Path file, FunctionWithException<Path, CompleteFile, IOException> opening) {
        this.file = file;
        try {
            to = opening.apply(file);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Opens a file that has its name from the start, and empties it. */
    public static OutputFile growing(Path file) {
        return new OutputFile(file, CompleteFile::growing);
    }

    private void attempt(ThrowingRunnable<IOException> step) {
        try {
            step.run();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Returns the stream of the file's bytes, whose failures are not described. */
    public OutputStream out() {
        return to.out();
    }

    @Override
    public void write(LineBytes lines) {
        attempt(() -> lines.writeTo(to.out()));
    }

    @Override
    public void flush() {
        attempt(() -> to.out().flush());
    }

    /** Writes buffered lines, and gives the file its name. */
    public void complete() {
        attempt(to::complete);
    }

    /** Keeps the incomplete file beside the named one; returns its path. */
    public Path keep() {
        try {
            return to.keep();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        attempt(to::close);
    }

    private SluiceException failed(IOException e) {
        return new SluiceException(TextFiles.describeWriting(file, e), e);
    }
}
