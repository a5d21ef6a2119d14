package dev.sluice.operators.classify;

import dev.sluice.operators.rules.serving.VersionService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A timer with a thread of its own. Flink's timers tick in milliseconds; this one sleeps until a
 * deadline of the system's nanosecond clock. A thread that sleeps wakes late (Linux alone adds up
 * to 50 µs: timer slack, prctl(2)), so it is to wake earlier by as much as it usually is late, and
 * waits out the µs that are left by looking at the clock.
 */
final class FlushClock implements FlushTimer, AutoCloseable {
    /** A thread that is early looks at the clock until it is time: no longer than this. */
    private static final long MOST_NANOS = 100_000;

    /** Nor for a larger share of what it waits. */
    private static final int SHARE = 20;

    private final ScheduledExecutorService clock;

    /** How late three in four times are. */
    private final QuantileEstimate late = new QuantileEstimate(75, MOST_NANOS);

    FlushClock(String name) {
        clock = Executors.newSingleThreadScheduledExecutor(run -> VersionService.daemon(run, name));
    }

    @Override
    public void after(long micros, Runnable callback) {
        long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
        long due = System.nanoTime() + nanos;
        long before = Math.min(late.nanos(), nanos / SHARE);
        var unused =
                clock.schedule(
                        () -> ring(due - before, due, callback),
                        nanos - before,
                        TimeUnit.NANOSECONDS);
    }

    private void ring(long waking, long due, Runnable callback) {
        late.took(System.nanoTime() - waking);
        while (due - System.nanoTime() > 0) {
            Thread.onSpinWait();
        }
        callback.run();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
