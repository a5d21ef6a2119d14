package dev.sluice.job.cli;

import dev.sluice.job.replay.LineBytes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * A writer of UTF-8, buffered, that flushes at the end of each printed line, and takes lines that
 * are bytes already as they are.
 */
final class Utf8Writer extends PrintWriter {
    private static final int BUFFER = 1 << 16;

    private final OutputStream stream;

    Utf8Writer(OutputStream stream) {
        super(
                new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), BUFFER),
                true);
        this.stream = stream;
    }

    /** Writes lines behind what was printed; a failure shows in {@link #checkError}. */
    void write(LineBytes lines) {
        synchronized (lock) {
            flush();
            try {
                lines.writeTo(stream);
            } catch (IOException e) {
                setError();
            }
        }
    }
}
