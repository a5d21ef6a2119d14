package dev.sluice.job.cli;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Standard output, which remembers why a write failed: {@link System#out} and the writers above it
 * swallow that, and a command whose lines are lost would end as if they were not. After a failure
 * nothing more is written. The begin of a line waits for the rest of it, or for a flush, so that
 * whole lines are out whenever the process ends. Safe for several threads.
 */
public final class StandardOutput extends OutputStream {
    /** A line that is longer is not held back as a whole. */
    private static final int LONGEST_HELD = 1 << 20;

    /** How long {@link #shut} waits for a write that nobody takes. */
    private static final long PATIENCE_SECONDS = 1;

    private final OutputStream to;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition untilTheEnd = lock.newCondition();
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();
    private @Nullable IOException failure;
    private final AtomicLong lines = new AtomicLong();
    private volatile boolean shut;

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
    public @Nullable IOException failure() {
        lock.lock();
        try {
            IOException why = failure;
            return why != null && isUnread(why) ? null : why;
        } finally {
            lock.unlock();
        }
    }

    /** Tells whether a write failed since the reader has gone. */
    static boolean isUnread(IOException why) {
        return String.valueOf(why.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }

    /**
     * Has nothing more be written as the process ends: who writes waits for that end.
     *
     * @return lines that were written; all, unless a write is under way that nobody takes
     */
    long shut() {
        shut = true;
        boolean still = false;
        try {
            still = lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long written = lines.get();
        if (still) {
            lock.unlock();
        }
        return written;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int whole = length;
        while (whole > 0 && bytes[offset + whole - 1] != '\n') {
            whole--;
        }
        lock.lock();
        try {
            requireOpen();
            if (whole > 0 || held.size() + length > LONGEST_HELD) {
                put(bytes, offset, whole);
            }
            held.write(bytes, offset + whole, length - whole);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        lock.lock();
        try {
            if (held.size() > 0) {
                requireOpen();
                put(new byte[0], 0, 0);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes what is held, and bytes behind it. */
    private void put(byte[] bytes, int offset, int length) throws IOException {
        try {
            if (held.size() == 0) {
                to.write(bytes, offset, length);
            } else {
                held.write(bytes, offset, length);
                held.writeTo(to);
                held.reset();
            }
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        long more = 0;
        for (int i = offset; i < offset + length; i++) {
            more += bytes[i] == '\n' ? 1 : 0;
        }
        lines.addAndGet(more);
    }

    private void requireOpen() throws IOException {
        while (shut) {
            untilTheEnd.awaitUninterruptibly();
        }
        IOException before = failure;
        if (before != null) {
            throw new IOException("nothing more is written", before);
        }
    }
}
