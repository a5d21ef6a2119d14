package dev.sluice.job.watch;

import dev.sluice.policy.io.SluiceException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, or another signal that ends the process, as a failure of the command's own thread, which
 * so says what was done before the process ends. The thread asks {@link #check} often; the end
 * waits some seconds for it to {@link #close} and to report.
 */
public final class Interruption implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 5;

    private final CountDownLatch left = new CountDownLatch(1);
    private final ExitHook atExit;
    private final long patienceSeconds;
    private volatile boolean asked;

    /** From now on the process does not end before this is closed, or some seconds are over. */
    public Interruption() {
        this(PATIENCE_SECONDS);
    }

    /** From now on the process does not end before this is closed, or so many seconds are over. */
    public Interruption(long patienceSeconds) {
        this.patienceSeconds = patienceSeconds;
        atExit = new ExitHook(this::end);
    }

    /** Runs at the end of the process. */
    public void end() {
        asked = true;
        try {
            // The report follows, then the end that the command's thread brings about itself.
            if (left.await(patienceSeconds, TimeUnit.SECONDS)) {
                TimeUnit.SECONDS.sleep(1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Goes on, unless the process is to end.
     *
     * @throws SluiceException if it is
     */
    public void check() {
        if (asked) {
            throw new SluiceException("interrupted");
        }
    }

    /** Tells whether the process is to end. */
    public boolean isAsked() {
        return asked;
    }

    @Override
    public void close() {
        left.countDown();
        if (!asked) {
            atExit.close();
        }
    }
}
