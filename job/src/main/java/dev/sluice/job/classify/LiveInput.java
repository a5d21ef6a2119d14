package dev.sluice.job.classify;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;

/**
 * Bytes that may still be on their way: tells before a read that may wait, and can go on at the end
 * of a file, which may grow. Of one thread.
 */
final class LiveInput extends FilterInputStream {
    private static final long LOOK_EVERY_MILLIS = 50;

    private final boolean grows;
    private final BooleanSupplier stopped;
    private final BeforeWaiting beforeWaiting;

    /** Hears that nothing more is there for now. */
    interface BeforeWaiting {
        void run() throws IOException;
    }

    /**
     * An input over another, which it closes.
     *
     * @param grows whether to wait at its end for more
     * @param stopped whether to end now
     */
    LiveInput(InputStream in, boolean grows, BooleanSupplier stopped, BeforeWaiting beforeWaiting) {
        super(in);
        this.grows = grows;
        this.stopped = stopped;
        this.beforeWaiting = beforeWaiting;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (in.available() == 0) {
            beforeWaiting.run();
        }
        while (!stopped.getAsBoolean()) {
            int count = in.read(bytes, offset, length);
            if (count >= 0 || !grows) {
                return count;
            }
            try {
                Thread.sleep(LOOK_EVERY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return -1;
            }
        }
        return -1;
    }
}
