package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that a process uses: its context, one copy of each image, and a bounded pool of slots,
 * each with pinned buffers, device buffers and a stream. Thread-safe.
 */
public final class GpuDevice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuDevice.class);

    private static final int CLEARED_AT_ONCE = 1 << 16;

    private final GpuDriver driver;
    private final int number;
    private final GpuDriver.Info info;
    private final int slotCount;
    private final int slotWords;
    private final int slotHeaders;
    private final List<GpuImage> images = new ArrayList<>();
    private final List<Slot> free = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private volatile GpuDriver.Device device;
    private boolean broken;

    /** Bytes of images that change; guarded by this. */
    private long liveBytes;

    /** How often the device was opened: what lay there before is gone. */
    private volatile int epoch;

    private int idleMicros = 2_000;
    private int stayMicros = 50_000;

    /** Whether the device was given up and not opened anew yet. */
    private boolean abandoned;

    private boolean closed;

    /** What a batch needs from the moment it is taken to the moment its verdicts are read. */
    static final class Slot {
        final GpuDriver.Pinned headers;
        final GpuDriver.Pinned verdicts;
        final long deviceHeaders;
        final long deviceVerdicts;
        final GpuDriver.Stream stream;
        final GpuDriver.Event done;

        /** The kernel that has the batch under way, and the batch's ticket; null: a launch has. */
        @Nullable ResidentKernel resident;

        int ticket;

        /** Whether the launch went to another slot's stream, so that the event tells its end. */
        boolean shared;

        /**
         * Image and transfer that the launch was prepared for: the object, since another image may
         * lie at the same address later.
         */
        @Nullable GpuImage launchImage;

        Transfer launchTransfer = Transfer.COPY;
        String launchKernel = "";

        GpuDriver.Launch launch = (stride, count, on) -> {};

        final int number;

        Slot(GpuDriver.Device device, int number, int words, int headerCount) {
            this.number = number;
            headers = device.allocatePinned(words);
            verdicts = device.allocatePinned(headerCount);
            deviceHeaders = device.allocate(4L * words);
            deviceVerdicts = device.allocate(4L * headerCount);
            stream = device.stream();
            done = device.event();
        }

        void close(GpuDriver.Device device) {
            device.destroyEvent(done);
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
        this.slotCount = slotCount;
        this.slotHeaders = slotHeaders;
        this.slotWords = Math.multiplyExact(slotHeaders, headerWords);
        this.device = driver.open(number);
        try {
            openSlots();
        } catch (GpuException e) {
            close();
            throw e;
        }
    }

    private void openSlots() {
        for (int s = 0; s < slotCount; s++) {
            Slot slot = new Slot(device, s, slotWords, slotHeaders);
            slots.add(slot);
            free.add(slot);
        }
    }

    /** Notes that the device failed: what is open there may be lost. */
    synchronized void broken() {
        broken = true;
    }

    /**
     * Opens a device that failed anew, and copies the images there again.
     *
     * @throws GpuException if it still fails, or batches are still under way there
     */
    synchronized void revive() {
        if (!broken || closed) {
            return;
        }
        if (free.size() < slots.size()) {
            throw new GpuException(0, "batches of before the failure are still under way");
        }
        slots.clear();
        free.clear();
        try {
            if (!abandoned) {
                abandoned = true;
                device.abandon();
            }
            device = driver.open(number);
            abandoned = false;
            epoch++;
            liveBytes = 0;
            openSlots();
            for (GpuImage image : images) {
                image.residents.clear(); // they went with the context
                image.address = upload(image.image);
            }
        } catch (GpuException e) {
            slots.clear();
            free.clear();
            throw e;
        }
        broken = false;
    }

    private long upload(Image image) {
        long address = device.allocate(image.bytes());
        try {
            device.upload(address, image.words(), 0, image.words().length);
        } catch (GpuException e) {
            device.free(address);
            throw e;
        }
        return address;
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

    /** How often the device was opened before. */
    int epoch() {
        return epoch;
    }

    /** Words of a slot's headers. */
    int slotWords() {
        return slotWords;
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
        rest();
        GpuImage fresh = new GpuImage(image, upload(image));
        images.add(fresh);
        return fresh;
    }

    /** Memory for an image that changes. */
    synchronized long allocateImage(long bytes) {
        rest();
        liveBytes += bytes;
        try {
            return device.allocate(bytes);
        } catch (GpuException e) {
            liveBytes -= bytes;
            throw e;
        }
    }

    /** Writes 0 to so many words of it. */
    void clear(long address, long words) {
        int[] zeros = new int[CLEARED_AT_ONCE];
        for (long at = 0; at < words; at += zeros.length) {
            device.upload(address + 4 * at, zeros, 0, (int) Math.min(zeros.length, words - at));
        }
    }

    /** Gives it back. */
    synchronized void freeImage(long address, long bytes) {
        rest();
        liveBytes -= bytes;
        if (!broken && !closed) {
            device.free(address);
        }
    }

    /** Ends one use of an image; the last one frees its memory. */
    synchronized void release(GpuImage image) {
        if (--image.users == 0) {
            images.remove(image);
            if (!closed) {
                rest();
                image.residents.values().forEach(this::end);
                image.residents.clear();
                if (!broken) {
                    device.free(image.address);
                }
            }
        }
    }

    /**
     * When kernels that stay leave by themselves.
     *
     * @param idle µs without a batch
     * @param stay µs though batches come: who else waits for the device gets it then
     */
    public synchronized void residency(int idle, int stay) {
        idleMicros = idle;
        stayMicros = stay;
    }

    /**
     * Lets the kernels that stay leave, before memory is taken or freed and when no batch comes for
     * a while. The next batch starts them again.
     */
    public synchronized void rest() {
        if (broken) {
            return;
        }
        try {
            for (GpuImage image : images) {
                image.residents.values().forEach(ResidentKernel::leave);
            }
        } catch (GpuException e) {
            broken = true; // who hands over the next batch meets the failure, too
            LOG.warn("device {}: a kernel does not leave: {}", number, e.getMessage());
        }
    }

    /** Kernels that stay and may be on the device now. */
    public synchronized int resident() {
        int running = 0;
        for (GpuImage image : images) {
            for (ResidentKernel kernel : image.residents.values()) {
                running += kernel.running() ? 1 : 0;
            }
        }
        return running;
    }

    /** The form of a kernel that stays, for an image. */
    private synchronized ResidentKernel resident(GpuImage image, String kernel) {
        ResidentKernel there = image.residents.get(kernel);
        if (there == null) {
            rest();
            there =
                    new ResidentKernel(
                            device,
                            Objects.requireNonNull(KernelCatalog.resident(kernel)),
                            KernelCatalog.residentShape(kernel, image.image),
                            image.address,
                            Objects.requireNonNull(KernelCatalog.plan(kernel, image.image)),
                            1 + info.multiprocessors(),
                            idleMicros,
                            stayMicros);
            image.residents.put(kernel, there);
        }
        return there;
    }

    private void end(ResidentKernel kernel) {
        if (!broken) {
            kernel.close();
        }
    }

    /** Bytes of images on the device. */
    public synchronized long imageBytes() {
        return liveBytes + images.stream().mapToLong(i -> i.image.bytes()).sum();
    }

    /** Images on the device. */
    public synchronized int images() {
        return images.size();
    }

    /**
     * Takes a slot; waits while none is free.
     *
     * @throws GpuException if the device failed and was not opened anew
     */
    synchronized Slot take() {
        boolean interrupted = false;
        while (free.isEmpty()) {
            if (slots.isEmpty()) {
                throw new GpuException(0, "device " + number + " is not open");
            }
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (broken) {
            throw new GpuException(0, "device " + number + " failed before");
        }
        return free.remove(free.size() - 1);
    }

    /** Takes a slot if one is free and the device works. */
    synchronized @Nullable Slot poll() {
        return broken || free.isEmpty() ? null : free.remove(free.size() - 1);
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

    /** Whether every slot is under way. */
    synchronized boolean full() {
        return free.isEmpty();
    }

    /** Puts headers of a batch into a slot and launches. */
    Slot launch(
            GpuImage image,
            String kernel,
            OffloadMode way,
            HeaderBatch batch,
            int from,
            int count) {
        return launch(image, kernel, way, List.of(batch), from, count, count);
    }

    /**
     * Puts headers of batches into a slot, one behind the other, and launches.
     *
     * @param from first header taken of each
     * @param each most headers taken of each
     * @param count headers of all
     */
    Slot launch(
            GpuImage image,
            String kernel,
            OffloadMode way,
            List<HeaderBatch> all,
            int from,
            int each,
            int count) {
        int size = image.image.layout().size();
        int stride = count + 31 & ~31;
        Slot slot = take();
        try {
            IntBuffer target = slot.headers.words();
            int at = 0;
            for (HeaderBatch batch : all) {
                int taken = Math.min(each, batch.size() - from);
                for (int p = 0; p < size; p++) {
                    int source = p * batch.capacity() + from;
                    target.put(p * stride + at, batch.words(), source, taken);
                }
                at += taken;
            }
            launch(slot, image, kernel, way, size, stride, count);
            return slot;
        } catch (GpuException e) {
            give(slot);
            throw e;
        }
    }

    /**
     * Lets kernels change an image, one after the other, by what a slot's buffer holds, and waits.
     *
     * @param side memory beside the image that they use, 0 for none
     * @param words words of the slot that are filled
     * @param count threads
     * @param timed whether to measure the kernels
     * @return their milliseconds, 0 if they were not measured
     */
    float change(
            Slot slot,
            GpuImage image,
            long side,
            List<String> kernels,
            int words,
            int stride,
            int count,
            boolean timed) {
        device.copyIn(slot.deviceHeaders, slot.headers, 4L * words, slot.stream);
        float millis = 0;
        for (String kernel : kernels) {
            GpuDriver.Launch launch =
                    device.prepare(
                            kernel,
                            KernelCatalog.shape(kernel, image.image),
                            image.address,
                            slot.deviceHeaders,
                            side,
                            new int[0]);
            if (timed) {
                millis +=
                        device.time(
                                () -> {},
                                () -> launch.run(stride, count, slot.stream),
                                slot.stream);
            } else {
                launch.run(stride, count, slot.stream);
            }
        }
        device.await(slot.stream);
        return millis;
    }

    /** Queues the headers of a slot, the kernel of an image and the verdicts. */
    @SuppressWarnings("ReferenceEquality") // the very image that the launch was prepared for
    void launch(
            Slot slot,
            GpuImage image,
            String kernel,
            OffloadMode way,
            int words,
            int stride,
            int count) {
        if (way.launch() == LaunchMode.PERSISTENT) {
            ResidentKernel stays = resident(image, kernel);
            slot.ticket =
                    stays.submit(
                            slot.headers.deviceAddress(),
                            slot.verdicts.deviceAddress(),
                            stride,
                            count);
            slot.resident = stays;
            return;
        }
        slot.resident = null;
        Transfer transfer = way.transfer();
        boolean copy = transfer == Transfer.COPY;
        if (slot.launchImage != image
                || slot.launchTransfer != transfer
                || !slot.launchKernel.equals(kernel)) {
            Image of = image.image;
            slot.launch =
                    device.prepare(
                            kernel,
                            KernelCatalog.shape(kernel, of),
                            image.address,
                            copy ? slot.deviceHeaders : slot.headers.deviceAddress(),
                            copy ? slot.deviceVerdicts : slot.verdicts.deviceAddress(),
                            Objects.requireNonNull(KernelCatalog.plan(kernel, of)));
            slot.launchImage = image;
            slot.launchTransfer = transfer;
            slot.launchKernel = kernel;
        }
        GpuDriver.Stream stream = slots.get(slot.number % way.streams()).stream;
        slot.shared = way.streams() < slots.size();
        if (copy) {
            device.copyIn(slot.deviceHeaders, slot.headers, 4L * words * stride, stream);
        }
        slot.launch.run(stride, count, stream);
        if (copy) {
            device.copyOut(slot.verdicts, slot.deviceVerdicts, 4L * count, stream);
        }
        if (slot.shared) {
            device.record(slot.done, stream);
        }
    }

    /** Waits for a slot's verdicts. */
    void await(Slot slot) {
        ResidentKernel stays = slot.resident;
        if (stays != null) {
            stays.await(slot.ticket);
        } else if (slot.shared) {
            device.await(slot.done);
        } else {
            device.await(slot.stream);
        }
    }

    /** Waits for a slot's verdicts, reads them, and gives the slot back, whatever happens. */
    void land(Slot slot, VerdictBatch verdicts, int from, int count) {
        try {
            await(slot);
            slot.verdicts.words().get(0, verdicts.rules(), from, count);
        } finally {
            give(slot);
        }
    }

    /** Frees what the process holds of the device. No batch may be under way. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (abandoned) {
            return; // nothing is open there
        }
        if (broken) {
            device.abandon(); // the context takes all that is left with it
            return;
        }
        try {
            rest();
            for (Slot slot : slots) {
                slot.close(device);
            }
            for (GpuImage image : images) {
                image.residents.values().forEach(ResidentKernel::close);
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
