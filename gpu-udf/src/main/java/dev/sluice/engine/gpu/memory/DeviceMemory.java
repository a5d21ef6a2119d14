package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

/**
 * All memory that a process has on a device: staging buffers, sealed images, and images that
 * change. Thread-safe.
 */
public final class DeviceMemory {
    private final DeviceContext context;
    private final Residency residency;
    private final StagingPool staging;
    private final DeviceImages images;

    /** Bytes of images that change. */
    private final AtomicLong changingBytes = new AtomicLong();

    /** No memory, until {@link #open}. */
    public DeviceMemory(DeviceContext context, Residency residency, StagingPool.Size size) {
        this.context = context;
        this.residency = residency;
        this.staging = new StagingPool(context, residency, size);
        this.images = new DeviceImages(context, residency);
    }

    /** The device. */
    public DeviceContext context() {
        return context;
    }

    /** Staging buffers. */
    public StagingPool staging() {
        return staging;
    }

    /** Sealed images. */
    public DeviceImages images() {
        return images;
    }

    /** Bytes of all images, sealed ones and those that change. */
    public long imageBytes() {
        return changingBytes.get() + images.bytes();
    }

    /**
     * Makes the staging buffers of a device that was just opened.
     *
     * @throws GpuException if it has no room for them
     */
    public void open() {
        staging.offer(staging.make());
    }

    /**
     * Opens a device anew that failed, with staging buffers and all sealed images. Waits for
     * uploads that are under way; who asks for a staging buffer meanwhile waits.
     *
     * <p>This cannot deadlock. It waits for all who hold {@link DeviceContext#shared}; they would
     * have to wait for it in turn, and could only do so for a staging buffer. But it begins when
     * all buffers are back, and then a request for one does not wait: it fails, as the device did.
     *
     * @param lost is told that all that is open on the device goes
     * @throws GpuException if it still fails, or batches of before the failure are under way
     */
    public void reopen(Runnable lost) {
        requireIdle(staging.busy() == 0);
        Lock alone = context.exclusive();
        alone.lock();
        try {
            requireIdle(staging.drain());
            List<StagingBuffer> buffers = List.of();
            try {
                lost.run();
                buffers = context.reopen(this::restore);
            } finally {
                staging.offer(buffers); // none if it failed: who waits for one fails, too
            }
        } finally {
            alone.unlock();
        }
    }

    private static void requireIdle(boolean idle) {
        if (!idle) {
            throw new GpuException(0, "batches of before the failure are still under way");
        }
    }

    private List<StagingBuffer> restore() {
        changingBytes.set(0); // what was allocated lay there in the epoch before
        List<StagingBuffer> buffers = staging.make();
        images.restore();
        return buffers;
    }

    /** Gives all memory back but that of images that change. The caller closes the context. */
    public void close() {
        staging.close();
        images.close();
    }

    /**
     * Memory for an image that changes. The caller holds {@link DeviceContext#shared}.
     *
     * @return its address, in the present epoch
     * @throws GpuException if the device has no room for it, or fails
     */
    public long allocate(long bytes) {
        context.requireOpen();
        long address = residency.whileAway(() -> context.device().allocate(bytes));
        changingBytes.addAndGet(bytes);
        return address;
    }

    /**
     * Pinned memory of the present epoch. The caller holds {@link DeviceContext#shared}.
     *
     * @throws GpuException if the machine has none left, or the device fails
     */
    GpuDriver.Pinned allocatePinned(int words) {
        context.requireOpen();
        return residency.whileAway(() -> context.device().allocatePinned(words));
    }

    /**
     * Gives pinned memory of the present epoch back. The caller holds {@link DeviceContext#shared}.
     */
    void freePinned(GpuDriver.Pinned pinned) {
        residency.runWhileAway(() -> context.device().freePinned(pinned));
    }

    /** Writes 0 to so many words at an address. The caller holds {@link DeviceContext#shared}. */
    public void clear(long address, long words) {
        if (words > 0) {
            context.device().clear(address, words);
        }
    }

    /**
     * Gives memory of {@link #allocate} back, unless it went with the context.
     *
     * @param epoch in which it was taken
     */
    public void free(long address, long bytes, int epoch) {
        DeviceContext.Held share = context.share();
        try (share) {
            if (epoch == context.epoch()) {
                changingBytes.addAndGet(-bytes);
            }
            if (context.holds(epoch)) {
                residency.runWhileAway(() -> context.device().free(address));
            }
        }
    }
}
