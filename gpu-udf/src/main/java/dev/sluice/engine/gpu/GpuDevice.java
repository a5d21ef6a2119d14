package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that a process uses: its context, one copy of each image, and a bounded pool of slots,
 * each with pinned buffers, device buffers and a stream. Thread-safe.
 */
public final class GpuDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuDevice.class);

    private final GpuDriver driver;
    private final int number;
    private final GpuDriver.Info info;
    private final GpuDriver.Device device;
    private final int slotWords;
    private final int slotHeaders;
    private final List<GpuImage> images = new ArrayList<>();
    private final List<Slot> free = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private boolean closed;

    /** What a batch needs from the moment it is taken to the moment its verdicts are read. */
    static final class Slot {
        final GpuDriver.Pinned headers;
        final GpuDriver.Pinned verdicts;
        final long deviceHeaders;
        final long deviceVerdicts;
        final GpuDriver.Stream stream;

        /** Launch of the image that the slot served last. */
        long launchImage;

        GpuDriver.Launch launch = (stride, count, on) -> {};

        Slot(GpuDriver.Device device, int words, int headerCount) {
            headers = device.allocatePinned(words);
            verdicts = device.allocatePinned(headerCount);
            deviceHeaders = device.allocate(4L * words);
            deviceVerdicts = device.allocate(4L * headerCount);
            stream = device.stream();
        }

        void close(GpuDriver.Device device) {
            device.destroyStream(stream);
            device.free(deviceVerdicts);
            device.free(deviceHeaders);
            device.freePinned(verdicts);
            device.freePinned(headers);
        }
    }

    /**
     * Opens a device.
     *
     * @param slotCount batches that are under way at most: who comes next waits
     * @param slotHeaders headers that a slot takes at most
     * @param headerWords words of a header at most
     * @throws GpuException if the device cannot be used
     */
    public GpuDevice(
            GpuDriver driver, int number, int slotCount, int slotHeaders, int headerWords) {
        this.driver = driver;
        this.number = number;
        this.info = driver.info(number);
        this.slotHeaders = slotHeaders;
        this.slotWords = Math.multiplyExact(slotHeaders, headerWords);
        this.device = driver.open(number);
        try {
            for (int s = 0; s < slotCount; s++) {
                Slot slot = new Slot(device, slotWords, slotHeaders);
                slots.add(slot);
                free.add(slot);
            }
        } catch (GpuException e) {
            close();
            throw e;
        }
    }

    /** What the device is. */
    public GpuDriver.Info info() {
        return info;
    }

    /** Number that the driver gives it. */
    public int number() {
        return number;
    }

    /** The device itself. */
    public GpuDriver.Device device() {
        return device;
    }

    /** Headers that a slot takes at most, of a number of words each. */
    int slotHeaders(int headerWords) {
        return Math.min(slotHeaders, slotWords / Math.max(1, headerWords) / 32 * 32);
    }

    /** An image on the device: a new copy, or one more user of the copy that is there. */
    synchronized GpuImage retain(Image image) {
        for (GpuImage there : images) {
            if (there.image == image || Arrays.equals(there.image.words(), image.words())) {
                there.users++;
                return there;
            }
        }
        long address = device.allocate(image.bytes());
        try {
            device.upload(address, image.words(), 0, image.words().length);
        } catch (GpuException e) {
            device.free(address);
            throw e;
        }
        GpuImage fresh = new GpuImage(image, address);
        images.add(fresh);
        return fresh;
    }

    /** Ends one use of an image; the last one frees its memory. */
    synchronized void release(GpuImage image) {
        if (--image.users == 0) {
            images.remove(image);
            if (!closed) {
                device.free(image.address);
            }
        }
    }

    /** Bytes of images on the device. */
    public synchronized long imageBytes() {
        return images.stream().mapToLong(i -> i.image.bytes()).sum();
    }

    /** Images on the device. */
    public synchronized int images() {
        return images.size();
    }

    /** Takes a slot; waits while none is free. */
    synchronized Slot take() {
        boolean interrupted = false;
        while (free.isEmpty()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return free.remove(free.size() - 1);
    }

    /** Gives a slot back. */
    synchronized void give(Slot slot) {
        free.add(slot);
        notifyAll();
    }

    /** Batches under way. */
    public synchronized int busy() {
        return slots.size() - free.size();
    }

    /** Makes a slot's launch that of an image. */
    void arm(Slot slot, GpuImage image) {
        if (slot.launchImage != image.address) {
            Image of = image.image;
            String kernel = Kernel.of(of);
            int[] plan = Objects.requireNonNull(Kernel.plan(kernel, of));
            slot.launch =
                    device.prepare(
                            kernel,
                            Kernel.THREADS,
                            Kernel.sharedBytes(kernel, of.layout().size()),
                            image.address,
                            slot.deviceHeaders,
                            slot.deviceVerdicts,
                            plan);
            slot.launchImage = image.address;
        }
    }

    /** Frees what the process holds of the device. No batch may be under way. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            for (Slot slot : slots) {
                slot.close(device);
            }
            for (GpuImage image : images) {
                device.free(image.address);
            }
            device.close();
        } catch (GpuException e) {
            // A lost device frees nothing any more: there is nothing left to give back.
            LOG.warn(
                    "device {} ({}) did not close cleanly: {}",
                    number,
                    info.name(),
                    e.getMessage());
        }
        LOG.debug("closed device {} of {}", number, driver.getClass().getSimpleName());
    }
}
