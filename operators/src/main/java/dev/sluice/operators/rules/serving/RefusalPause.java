package dev.sluice.operators.rules.serving;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long to wait after a refusal before the next version is built that only changes what was
 * refused: 1 s after the first, twice as long after each further one, 60 s at most. It never waits
 * itself. Not thread-safe.
 */
final class RefusalPause {
    /** The first pause. */
    static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The longest pause. */
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final LongSupplier nanoTime;
    private long pause;
    private long end;

    /**
     * No refusal so far.
     *
     * @param nanoTime the clock, as {@link System#nanoTime}
     */
    RefusalPause(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** A version was refused: the pause begins. */
    void refused() {
        pause = pause == 0 ? FIRST_NANOS : Math.min(LONGEST_NANOS, 2 * pause);
        end = nanoTime.getAsLong() + pause;
    }

    /** A version is in force, or new content has come: there is nothing to wait for. */
    void reset() {
        pause = 0;
    }

    /** Nanoseconds to the end of the pause; 0 if there is none. */
    long left() {
        return pause == 0 ? 0 : Math.max(0, end - nanoTime.getAsLong());
    }
}
