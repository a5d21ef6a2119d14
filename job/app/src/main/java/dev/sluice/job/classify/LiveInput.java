package dev.sluice.job.classify;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;
import org.apache.flink.util.function.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/**
 * Input of bytes that may still arrive. It calls back before a read that may block, and can wait
 * for a file to grow. Used by one thread.
 */
final class LiveInput extends FilterInputStream {
    private static final long LOOK_EVERY_MILLIS = 50;

    private final @Nullable GrowingFile file;
    private final BooleanSupplier stopped;
    private final ThrowingRunnable<IOException> beforeWaiting;
    private long count;
    private boolean left;
    private String cut = "";

    /**
     * Creates an input over another, which it closes.
     *
     * @param file that may still grow at its end; null: the end of the input is final
     * @param stopped whether to end now
     * @param beforeWaiting called when no more input is available
     */
    LiveInput(
            InputStream in,
            @Nullable GrowingFile file,
            BooleanSupplier stopped,
            ThrowingRunnable<IOException> beforeWaiting) {
        super(in);
        this.file = file;
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
        if (!cut.isEmpty()) {
            return -1; // further bytes belong to another file
        }
        boolean replaced = false;
        while (!stopped.getAsBoolean()) {
            int n = in.read(bytes, offset, length);
            if (n >= 0 || file == null) {
                count += Math.max(0, n);
                return n;
            }
            if (replaced) {
                cut = GrowingFile.REPLACED; // all earlier bytes were read
                return -1;
            }
            replaced = file.isReplaced();
            if (replaced) {
                continue;
            }
            cut = file.cut(count);
            if (!cut.isEmpty()) {
                return -1;
            }
            try {
                Thread.sleep(LOOK_EVERY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        left = true;
        return -1;
    }

    /** Tells whether the input was stopped before its end. */
    boolean isLeft() {
        return left;
    }

    /** Describes why a growing file can grow no more; empty: it can. */
    String cut() {
        return cut;
    }
}
