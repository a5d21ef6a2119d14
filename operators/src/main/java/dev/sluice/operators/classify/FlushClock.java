package dev.sluice.operators.classify;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A timer with a thread of its own. Flink's timers tick in milliseconds; this one sleeps until a
 * deadline of the system's nanosecond clock, which it meets within some tens of microseconds.
 */
final class FlushClock implements FlushTimer, AutoCloseable {
    private final ScheduledExecutorService clock;

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
        var unused = clock.schedule(callback, micros, TimeUnit.MICROSECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
