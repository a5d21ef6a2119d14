package dev.sluice.operators.classify;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A timer with a thread of its own. Flink's timers tick in milliseconds; this one sleeps until a
 * deadline of the system's nanosecond clock. A thread that sleeps wakes late (Linux alone adds up
 * to 50 µs: timer slack, prctl(2)), so it is to wake that much earlier ({@link WakingLead}), and
 * waits out the µs that are left by looking at the clock.
 */
final class FlushClock implements FlushTimer, AutoCloseable {
    private final ScheduledExecutorService clock;

    /** Learned in the clock's thread, read by others, which may see it some times old. */
    private final WakingLead lead = new WakingLead();

    FlushClock(String name) {
        clock =
                Executors.newSingleThreadScheduledExecutor(
                        run -> {
                            Thread thread = new Thread(run, name);
                            thread.setDaemon(true);
                            return thread;
                        });
    }

    @Override
    public void after(long micros, Runnable callback) {
        long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
        long due = System.nanoTime() + nanos;
        long before = lead.nanos(nanos);
        var unused =
                clock.schedule(
                        () -> ring(due - before, due, callback),
                        nanos - before,
                        TimeUnit.NANOSECONDS);
    }

    private void ring(long waking, long due, Runnable callback) {
        lead.woke(System.nanoTime() - waking);
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
