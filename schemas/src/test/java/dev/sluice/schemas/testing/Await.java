package dev.sluice.schemas.testing;

import java.util.concurrent.locks.LockSupport;

/**
 * Waiting for other processes and threads without taking a core from them: a test that spins on one
 * of two cores halves the pace of what it waits for.
 */
public final class Await {
    private static final long LOOK_NANOS = 5_000_000;

    private Await() {}

    /** Something that a test waits for. */
    public interface Condition {
        /** Returns whether it holds now. */
        boolean holds() throws Exception;
    }

    /**
     * Waits until a condition holds; the test's own timeout ends a wait that is in vain.
     *
     * @throws InterruptedException if the waiting thread is interrupted, as by that timeout
     */
    public static void until(Condition condition) throws Exception {
        while (!condition.holds()) {
            pause();
            if (Thread.interrupted()) {
                throw new InterruptedException("the condition does not come to hold");
            }
        }
    }

    /** Leaves the core to others for 5 ms, between two looks of a loop. */
    public static void pause() {
        LockSupport.parkNanos(LOOK_NANOS);
    }
}
