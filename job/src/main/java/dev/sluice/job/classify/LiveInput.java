package dev.sluice.job.classify;

import dev.sluice.job.Amount;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that may still be on their way: tells before a read that may wait, and can go on at the end
 * of a file, which may grow. Of one thread.
 */
final class LiveInput extends FilterInputStream {
    private static final long LOOK_EVERY_MILLIS = 50;

    private final @Nullable LongSupplier grows;
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
     * @param grows how long the file is by now, at whose end more is waited for; null: its end is
     *     the end
     * @param stopped whether to end now
     */
    LiveInput(
            InputStream in,
            @Nullable LongSupplier grows,
            BooleanSupplier stopped,
            BeforeWaiting beforeWaiting) {
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
        if (!cut.isEmpty()) {
            return -1; // what comes now is of another file
        }
        while (!stopped.getAsBoolean()) {
            int n = in.read(bytes, offset, length);
            if (n >= 0 || grows == null) {
                count += Math.max(0, n);
                return n;
            }
            long there = grows.getAsLong();
            if (there < count) {
                cut =
                        "the file has %s now, and %,d of it were read: it was cut or written anew; follow it anew"
                                .formatted(Amount.of(there, "byte"), count);
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

    /**
     * How a file that was to grow has become shorter than what was read of it; empty: it has not.
     */
    String cut() {
        return cut;
    }
}
