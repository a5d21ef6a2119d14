package dev.sluice.job.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * Window over a stream: provides n consecutive bytes in place. Grows to the largest request and no
 * further. Not thread-safe.
 */
final class ByteWindow implements Closeable {
    private static final int INITIAL_BYTES = 1 << 18;

    private final InputStream in;
    private byte[] buffer = new byte[INITIAL_BYTES];
    private int start;
    private int end;
    private long consumed;

    ByteWindow(InputStream in) {
        this.in = in;
    }

    /** Tells whether at least n bytes lie at {@link #position}; reads more bytes where needed. */
    boolean has(int n) throws IOException {
        return end - start >= n || fill(n);
    }

    private boolean fill(int n) throws IOException {
        if (buffer.length - start < n) {
            byte[] target = n > buffer.length ? new byte[Math.max(n, 2 * buffer.length)] : buffer;
            System.arraycopy(buffer, start, target, 0, end - start);
            buffer = target;
            end -= start;
            start = 0;
        }
        while (end - start < n) {
            int read = in.read(buffer, end, buffer.length - end);
            if (read < 0) {
                return false;
            }
            end += read;
        }
        return true;
    }

    /** Returns the number of bytes available without reading. */
    int available() {
        return end - start;
    }

    byte[] bytes() {
        return buffer;
    }

    /** Returns the index of the next byte in {@link #bytes()}. */
    int position() {
        return start;
    }

    /** Returns the number of bytes consumed so far: the file offset of {@link #position}. */
    long offset() {
        return consumed;
    }

    /** Consumes available bytes; a negative number puts bytes back. */
    void consume(int n) {
        start += n;
        consumed += n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
