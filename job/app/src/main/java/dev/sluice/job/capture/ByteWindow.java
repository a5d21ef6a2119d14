package dev.sluice.job.capture;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/**
 * A window over a stream: asks for n bytes in a row and reads them in place. Grows to the largest
 * request and no further. Not thread-safe.
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

    /** Whether at least n bytes lie at {@link #position}; reads them if need be. */
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

    /** Bytes at hand without reading. */
    int available() {
        return end - start;
    }

    byte[] bytes() {
        return buffer;
    }

    /** Index of the next byte in {@link #bytes()}. */
    int position() {
        return start;
    }

    /** Bytes consumed so far: the file offset of {@link #position}. */
    long offset() {
        return consumed;
    }

    /** Goes forward over bytes that are at hand. */
    void consume(int n) {
        start += n;
        consumed += n;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
