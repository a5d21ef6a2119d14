package dev.sluice.job.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Standard output, which remembers why a write failed: {@link System#out} and the writers above it
 * swallow that, and a command whose lines are lost would end as if they were not. After a failure
 * nothing more is written. Safe for several threads.
 */
public final class StandardOutput extends OutputStream {
    private final OutputStream to;
    private @Nullable IOException failure;
    private long lines;

    /** An output to a stream, which stays open. */
    public StandardOutput(OutputStream to) {
        this.to = to;
    }

    /** The process's own. */
    public static StandardOutput ofProcess() {
        return new StandardOutput(new FileOutputStream(FileDescriptor.out));
    }

    /**
     * Why what was written is not all there; null: it is, or nobody reads it any more, as behind
     * {@code | head}, which is no failure.
     */
    public synchronized @Nullable IOException failure() {
        IOException why = failure;
        return why != null && isUnread(why) ? null : why;
    }

    /** Whether a write failed because nobody reads any more. */
    static boolean isUnread(IOException why) {
        return String.valueOf(why.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }

    /** Lines that were written. */
    synchronized long lines() {
        return lines;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        IOException before = failure;
        if (before != null) {
            throw new IOException("nothing more is written", before);
        }
        try {
            to.write(bytes, offset, length);
            for (int i = offset; i < offset + length; i++) {
                lines += bytes[i] == '\n' ? 1 : 0;
            }
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }
}
