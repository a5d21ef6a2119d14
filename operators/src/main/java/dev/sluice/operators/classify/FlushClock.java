package dev.sluice.operators.classify;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the operator when a batch has waited long enough. Flink's timers tick in milliseconds, this
 * clock in some tens of microseconds: it sleeps on a deadline of the system's nanosecond clock and
 * calls back from its own thread, which only puts a mail into the operator's mailbox.
 */
final class FlushClock implements AutoCloseable {
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

    void after(long micros, Runnable callback) {
        var unused = clock.schedule(callback, micros, TimeUnit.MICROSECONDS);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
