package dev.sluice.lab.kit;

import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Daemon threads that work until they are stopped, and whose first failure is thrown by check. */
public final class Workers implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 5_000;

    private final String failed;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile boolean stopped;

    /** Work of a thread; ends when {@link #stopped} says so. */
    public interface Work {
        /** Works. */
        void run() throws Exception;
    }

    /**
     * No threads yet.
     *
     * @param failed what it means if one fails, for the message
     */
    public Workers(String failed) {
        this.failed = failed;
    }

    /** Starts a thread. */
    public void start(String name, Work work) {
        Thread thread = new Thread(() -> run(work), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void run(Work work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Tells whether the threads are to end. */
    public boolean stopped() {
        return stopped;
    }

    /**
     * Fails if a thread has failed.
     *
     * @throws SluiceException saying why
     */
    public void check() {
        Exception e = failure.get();
        if (e instanceof SluiceException known) {
            throw known;
        }
        if (e != null) {
            throw new SluiceException(failed + ": " + e.getMessage(), e);
        }
    }

    /**
     * Waits for the threads to end by themselves.
     *
     * @return false if they have not within that time
     * @throws SluiceException if one has failed
     */
    public boolean await(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (Thread thread : threads) {
            TimeUnit.NANOSECONDS.timedJoin(thread, until - System.nanoTime());
            if (thread.isAlive()) {
                return false;
            }
        }
        check();
        return true;
    }

    /**
     * Stops the threads, and waits for their end.
     *
     * @throws SluiceException if one has failed
     */
    public void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
        check();
    }

    /** Stops the threads, and waits a while: one that a broker holds up ends with the process. */
    @Override
    public void close() {
        stopped = true;
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
