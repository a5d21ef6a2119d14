package dev.sluice.lab.gpu.check;

import dev.sluice.engine.gpu.FakeDriver;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** {@link SecondJob} with a driver on the heap, in the classes of whoever loads it. */
public final class FakeJob {
    private FakeJob() {}

    /**
     * Runs the job.
     *
     * @param chip the lock that stands for the device: class loaders share it, as contexts do
     */
    public static long[] run(Object chip, String mode, CountDownLatch others) {
        FakeDriver driver = new FakeDriver(1, (ReentrantLock) chip);
        long[] done = SecondJob.run(driver, 0, mode, others);
        driver.awaitNothingHeld();
        return done;
    }
}
