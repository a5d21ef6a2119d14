package dev.sluice.job.classify;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that may still be on their way: tells before a read that may wait, and can go on at the end
 * of a file, which may grow. Of one thread.
 */
final class LiveInput extends FilterInputStream {
    private static final long LOOK_EVERY_MILLIS = 50;

    private final @Nullable GrowingFile file;
    private final BooleanSupplier stopped;
    private final BeforeWaiting beforeWaiting;
    private long count;
    private boolean left;
    private String cut = "";

    /** Hears that nothing more is there for now. */
    interface BeforeWaiting {
        void run() throws IOException;
    }

    /**
     * An input over another, which it closes.
     *
     * @param file at whose end more is waited for; null: its end is the end
     * @param stopped whether to end now
     */
    LiveInput(
            InputStream in,
            @Nullable GrowingFile file,
            BooleanSupplier stopped,
            BeforeWaiting beforeWaiting) {
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
            return -1; // what comes now is of another file
        }
        boolean replaced = false;
        while (!stopped.getAsBoolean()) {
            int n = in.read(bytes, offset, length);
            if (n >= 0 || file == null) {
                count += Math.max(0, n);
                return n;
            }
            if (replaced) {
                cut = GrowingFile.REPLACED; // and all that came before was read
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

    /** Whether it was ended before it came to an end. */
    boolean isLeft() {
        return left;
    }

    /** Why a file that was to grow does so no more; empty: it may. */
    String cut() {
        return cut;
    }
}
