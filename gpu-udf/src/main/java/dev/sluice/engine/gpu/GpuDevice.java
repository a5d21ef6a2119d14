package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.BatchLauncher;
import dev.sluice.engine.gpu.launch.LaunchCoalescer;
import dev.sluice.engine.gpu.launch.Residents;
import dev.sluice.engine.gpu.memory.DeviceContext;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.DeviceMemory;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.image.Image;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A device that a process uses, with all that is open there: its context, its memory, and what
 * launches batches. This class opens it, opens it anew after a failure, and closes it.
 *
 * <p>Thread-safe; its monitor is held while the device is opened anew or closed, and by no batch.
 * It is taken before all locks that {@link dev.sluice.engine.gpu.memory} orders.
 */
public final class GpuDevice implements AutoCloseable {
    private final DeviceContext context;
    private final Residents residents;
    private final DeviceMemory memory;
    private final BatchLauncher launcher;
    private final Map<DeviceImage, LaunchCoalescer> coalescers = new ConcurrentHashMap<>();

    /**
     * Opens a device.
     *
     * @param number that the driver gives it
     * @param buffers staging buffers: batches that are under way at most; who comes next waits
     * @param headers headers that a staging buffer takes at most
     * @param headerWords words of a header at most; of larger headers a buffer takes fewer
     * @throws GpuException if the device cannot be used
     */
    public GpuDevice(GpuDriver driver, int number, int buffers, int headers, int headerWords) {
        this(driver, number, new StagingPool.Size(buffers, buffers, headers, headerWords));
    }

    /**
     * Opens a device whose staging buffers become more while batches find all of them taken.
     *
     * @param number that the driver gives it
     * @throws GpuException if the device cannot be used
     */
    GpuDevice(GpuDriver driver, int number, StagingPool.Size size) {
        this.context = new DeviceContext(driver, number);
        this.residents = new Residents(context);
        this.memory = new DeviceMemory(context, residents, size);
        this.launcher = new BatchLauncher(context, memory.staging(), residents);
        try {
            memory.open();
        } catch (GpuException e) {
            close();
            throw e;
        }
    }

    /** Its driver's device, its number, and how it fares. */
    public DeviceContext context() {
        return context;
    }

    /** Kernels that stay on it. */
    public Residents residents() {
        return residents;
    }

    /** The device itself, as it is open now. */
    public GpuDriver.Device device() {
        return context.device();
    }

    /** Its memory. */
    public DeviceMemory memory() {
        return memory;
    }

    /** Returns the launcher of batches there. */
    public BatchLauncher launcher() {
        return launcher;
    }

    /** Returns the coalescer in which batches for an image meet to share a launch. */
    LaunchCoalescer coalescer(DeviceImage image) {
        return coalescers.computeIfAbsent(
                image, i -> new LaunchCoalescer(launcher, memory.staging(), i));
    }

    /**
     * Opens the device anew if it failed, and copies the images there again. Others who ask for the
     * same wait and find it done.
     *
     * @throws GpuException if it still fails, or batches of before the failure are under way
     */
    synchronized void revive() {
        if (context.broken() && !context.closed()) {
            memory.reopen(residents::lost);
        }
    }

    /**
     * An image on the device: a new copy, or one more user of the copy that is there.
     *
     * @throws GpuException if the device has no room, or fails
     */
    DeviceImage retain(Image image) {
        return memory.images().retain(image);
    }

    /** Ends one use of an image; the last one frees its memory. */
    void release(DeviceImage image) {
        if (memory.images().release(image)) {
            coalescers.remove(image);
        }
    }

    /**
     * Lets the kernels that stay leave when no batch comes for a while. The next batch starts them
     * again.
     */
    public void rest() {
        residents.rest();
    }

    /** Frees what the process holds of the device. No batch may be under way. */
    @Override
    public synchronized void close() {
        context.close(residents::lost, this::giveBack);
    }

    private void giveBack() {
        residents.close();
        memory.close();
    }
}
