package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * True if a classifier may try its device: after a failure it leaves it alone for a second, then
 * for twice as long each time, up to a minute. Thread-safe.
 */
final class Health {
    private static final Logger LOG = LoggerFactory.getLogger(Health.class);
    private static final long FIRST_REST_NANOS = 1_000_000_000L;
    private static final long LONGEST_REST_NANOS = 60_000_000_000L;

    private final GpuDevice device;
    private final LongSupplier nanoTime;

    /** When the device may be tried again, by {@link #nanoTime}; guarded by this. */
    private long retryAt;

    /** 0 while the device works. */
    private volatile long restNanos;

    /** True if a batch tries the device after a rest; guarded by this. */
    private boolean trying;

    Health(GpuDevice device, LongSupplier nanoTime) {
        this.device = device;
        this.nanoTime = nanoTime;
    }

    long now() {
        return nanoTime.getAsLong();
    }

    /**
     * Returns whether the next batch may go to the device. After a rest one batch tries, and the
     * CPU takes the others until that one has ended.
     */
    boolean mayTry() {
        if (restNanos == 0) {
            return true;
        }
        synchronized (this) {
            if (now() - retryAt < 0) {
                return false;
            }
            retryAt = now() + restNanos;
            trying = true;
            return true;
        }
    }

    /** Returns whether the device failed and rests. */
    boolean resting() {
        return restNanos != 0;
    }

    /**
     * Opens the device anew if it failed.
     *
     * @throws GpuException if it still fails
     */
    void revive() {
        if (restNanos != 0) {
            device.revive();
        }
    }

    /** A batch failed, so that the device is left alone for a while. */
    synchronized void failed(GpuException e) {
        device.context().fail();
        boolean first = restNanos == 0;
        if (first) {
            restNanos = FIRST_REST_NANOS;
        } else if (trying) {
            restNanos = Math.min(2 * restNanos, LONGEST_REST_NANOS);
        }
        trying = false;
        retryAt = now() + restNanos;
        if (first) {
            LOG.warn(
                    "device {} ({}) fails: {}; the CPU classifies until it works again",
                    device.context().number(),
                    device.context().info().name(),
                    e.getMessage());
        }
    }

    /** A batch has its verdicts, so that the device works. */
    void worked() {
        if (restNanos != 0) {
            synchronized (this) {
                // Batches of before a failure may still have their verdicts from a lost device.
                if (restNanos != 0 && !device.context().broken()) {
                    restNanos = 0;
                    LOG.info(
                            "device {} ({}) works again",
                            device.context().number(),
                            device.context().info().name());
                }
            }
        }
    }
}
