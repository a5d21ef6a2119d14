package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that is open, from a process's first use to its last. It may fail, which any user notes
 * by {@link #fail}; then {@link DeviceMemory#reopen} opens it anew, which begins another epoch: all
 * that lay there before is gone.
 *
 * <p>Thread-safe. Who uses memory or the driver without a staging buffer holds {@link #shared}
 * meanwhile, so that the context does not go under him. Who has a staging buffer needs no lock: the
 * device is not opened anew before all buffers are back.
 */
public final class DeviceContext {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceContext.class);

    private final GpuDriver driver;
    private final int number;
    private final GpuDriver.Info info;

    /** Exclusive: the device is given up, opened or closed. */
    private final ReentrantReadWriteLock lifetime = new ReentrantReadWriteLock();

    private volatile GpuDriver.Device device;
    private volatile int epoch;
    private volatile boolean broken;

    /** True if the device was given up and not opened anew yet; written under the lifetime. */
    private volatile boolean abandoned;

    /** Written under the lifetime. */
    private volatile boolean closed;

    /**
     * Opens a device.
     *
     * @param number that the driver gives it
     * @throws GpuException if it cannot be used
     */
    public DeviceContext(GpuDriver driver, int number) {
        this.driver = driver;
        this.number = number;
        this.info = driver.info(number);
        this.device = driver.open(number);
    }

    /** Returns the properties of the device. */
    public GpuDriver.Info info() {
        return info;
    }

    /** Number that the driver gives it. */
    public int number() {
        return number;
    }

    /** The device that is open now, or was open last. */
    public GpuDriver.Device device() {
        return device;
    }

    /** How often the device was opened before. */
    public int epoch() {
        return epoch;
    }

    /** Notes that the device failed: what is open there may be lost. */
    public void fail() {
        broken = true;
    }

    /** Returns whether the device failed and was not opened anew yet. */
    public boolean broken() {
        return broken;
    }

    /** Returns whether the device was closed. */
    public boolean closed() {
        return closed;
    }

    /**
     * Returns whether what was opened or taken in an epoch is still there and can be given back.
     */
    public boolean holds(int thatEpoch) {
        return !broken && !abandoned && !closed && epoch == thatEpoch;
    }

    /** Held while the context must not go. Does not keep others from holding it, too. */
    public Lock shared() {
        return lifetime.readLock();
    }

    /** As {@link #shared}, locked until it is closed. */
    public Held share() {
        lifetime.readLock().lock();
        return lifetime.readLock()::unlock;
    }

    /** A lock that is held until it is closed. */
    public interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /** Held while the context is given up and opened anew; waits for {@link #shared}. */
    Lock exclusive() {
        return lifetime.writeLock();
    }

    /**
     * Does nothing if a device is open, working or not.
     *
     * @throws GpuException if it was given up or closed
     */
    public void requireOpen() {
        if (abandoned || closed) {
            throw new GpuException(0, "device " + number + " is not open");
        }
    }

    /**
     * Gives up the device that failed and opens it anew, in the next epoch. If that fails the
     * device stays broken, and is given up next time. The caller holds {@link #exclusive}.
     *
     * @param restore puts back what is to be there again
     * @return what that returns
     * @throws GpuException if the device still fails
     */
    <T> T reopen(Supplier<T> restore) {
        if (!abandoned) {
            abandoned = true;
            device.abandon();
        }
        device = driver.open(number);
        abandoned = false;
        int next = epoch + 1;
        epoch = next;
        T restored = restore.get();
        broken = false;
        return restored;
    }

    /**
     * Closes the device, once. Waits for those who hold {@link #shared}. A device that failed takes
     * all that is left with it.
     *
     * @param lost is told that all that is open on a device that failed goes
     * @param giveBack gives back what is open on a device that works; a failure there is logged,
     *     since a lost device frees nothing any more
     */
    public void close(Runnable lost, Runnable giveBack) {
        lifetime.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (abandoned) {
                return; // nothing is open there
            }
            if (broken) {
                lost.run();
                device.abandon();
                return;
            }
            try {
                giveBack.run();
                device.close();
            } catch (GpuException e) {
                LOG.warn(
                        "device {} ({}) did not close cleanly: {}",
                        number,
                        info.name(),
                        e.getMessage());
            }
            LOG.debug("closed device {} of {}", number, driver.getClass().getSimpleName());
        } finally {
            lifetime.writeLock().unlock();
        }
    }
}
