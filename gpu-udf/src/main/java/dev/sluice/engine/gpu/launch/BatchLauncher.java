package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceContext;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Launches batches from staging buffers and waits for their verdicts. Thread-safe: each staging
 * buffer belongs to one batch at a time, and so does what is kept here for it.
 */
public final class BatchLauncher {
    private final DeviceContext context;
    private final StagingPool staging;
    private final Residents residents;

    /** Last launch from each staging buffer; an entry belongs to who has the buffer. */
    private final @Nullable Launched[] launched;

    /** The last launch from a staging buffer, kept so that the next of its kind is prepared. */
    private static final class Launched {
        /** Buffers are made anew with the device, and launches with them. */
        final StagingBuffer buffer;

        /** The kernel that stays and took the batch; null if the batch was launched. */
        @Nullable ResidentKernel resident;

        /** Ticket of the batch with {@link #resident}. */
        int ticket;

        /** True if the launch went to another buffer's stream, so that the event tells its end. */
        boolean shared;

        /** Looks behind the kernel what changed; kept as {@link #launch} is. */
        final ChangesLaunch changes = new ChangesLaunch();

        /** True if the launch leaves its verdicts on the device for {@link #changes}. */
        boolean changed;

        /**
         * Address that the launch was prepared for: the image by identity, since another one may
         * lie at the same address later, and the address, since an image that changes may move.
         */
        @Nullable DeviceImage image;

        long address;

        Transfer transfer = Transfer.COPY;
        String kernel = "";

        GpuDriver.Launch launch = (stride, count, on) -> {};

        Launched(StagingBuffer buffer) {
            this.buffer = buffer;
        }
    }

    /** A launcher of a device's batches. */
    public BatchLauncher(DeviceContext context, StagingPool staging, Residents residents) {
        this.context = context;
        this.staging = staging;
        this.residents = residents;
        this.launched = new Launched[staging.most()];
    }

    /**
     * Copies headers of a batch to a staging buffer, and launches.
     *
     * @param buffer that the caller has taken; it goes back if the launch fails
     * @param changes what changed since the image was compiled; null: nothing
     * @param from first header taken
     * @param count headers taken
     * @return the buffer, to be given to {@link #land}
     * @throws GpuException if the device fails
     */
    public StagingBuffer launch(
            StagingBuffer buffer,
            DeviceImage image,
            String kernel,
            OffloadMode mode,
            @Nullable Changes changes,
            HeaderBatch batch,
            int from,
            int count) {
        int stride = count + 31 & ~31;
        try {
            copy(batch, from, count, buffer, 0, stride);
            launch(buffer, image, kernel, mode, changes, batch.layout().size(), stride, count);
            return buffer;
        } catch (RuntimeException e) {
            staging.give(buffer);
            throw e;
        }
    }

    /**
     * Copies batches to a staging buffer, one behind the other, and launches.
     *
     * @param buffer that the caller has taken; it goes back if the launch fails
     * @param count headers of all
     */
    @SuppressWarnings("ForLoopReplaceableByForEach") // an iterator would be allocated
    void launch(
            StagingBuffer buffer,
            DeviceImage image,
            String kernel,
            OffloadMode mode,
            List<HeaderBatch> all,
            int count) {
        int size = image.image().layout().size();
        int stride = count + 31 & ~31;
        try {
            int at = 0;
            for (int b = 0; b < all.size(); b++) {
                HeaderBatch batch = all.get(b);
                copy(batch, 0, batch.size(), buffer, at, stride);
                at += batch.size();
            }
            launch(buffer, image, kernel, mode, null, size, stride, count);
        } catch (RuntimeException e) {
            staging.give(buffer);
            throw e;
        }
    }

    private static void copy(
            HeaderBatch batch, int from, int count, StagingBuffer to, int at, int stride) {
        IntBuffer target = to.headers().words();
        for (int p = 0; p < batch.layout().size(); p++) {
            target.put(p * stride + at, batch.words(), p * batch.capacity() + from, count);
        }
    }

    /**
     * Launches the headers that are in a staging buffer.
     *
     * @param changes what changed since the image was compiled, which another kernel looks up
     *     behind the image's; null: nothing
     * @param words words of a header
     * @param stride distance of two words of a header
     * @param count headers
     * @throws GpuException if the device fails; the caller keeps the buffer
     * @throws IllegalArgumentException if there are changes and the kernel should stay
     */
    public void launch(
            StagingBuffer buffer,
            DeviceImage image,
            String kernel,
            OffloadMode mode,
            @Nullable Changes changes,
            int words,
            int stride,
            int count) {
        if (image.epoch() != context.epoch()
                || changes != null && changes.copy().epoch() != context.epoch()) {
            throw new GpuException(0, "the image went with the device's last failure");
        }
        Launched own = own(buffer);
        if (mode.launch() == LaunchMode.PERSISTENT) {
            if (changes != null) {
                throw new IllegalArgumentException("a kernel that stays knows no changes");
            }
            ResidentKernel stays = residents.of(image, kernel);
            own.ticket =
                    stays.submit(
                            buffer.headers().deviceAddress(),
                            buffer.verdicts().deviceAddress(),
                            stride,
                            count);
            own.resident = stays;
            return;
        }
        own.resident = null;
        prepare(own, image, kernel, mode.transfer(), changes != null);
        boolean copy = mode.transfer() == Transfer.COPY;
        GpuDriver.Device device = context.device();
        GpuDriver.Stream stream = staging.stream(buffer.number() % mode.streams());
        own.shared = mode.streams() < staging.count();
        if (copy) {
            device.copyIn(buffer.deviceHeaders(), buffer.headers(), 4L * words * stride, stream);
        }
        own.launch.run(stride, count, stream);
        if (changes != null) {
            own.changes.run(context.device(), changes, buffer, copy, stride, count, stream);
        }
        if (copy) {
            device.copyOut(buffer.verdicts(), buffer.deviceVerdicts(), 4L * count, stream);
        }
        if (own.shared) {
            device.record(buffer.done(), stream);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very buffer: those of another epoch are others
    private Launched own(StagingBuffer buffer) {
        Launched own = launched[buffer.number()];
        if (own == null || own.buffer != buffer) {
            own = new Launched(buffer);
            launched[buffer.number()] = own;
        }
        return own;
    }

    @SuppressWarnings("ReferenceEquality") // the very image that the launch was prepared for
    private void prepare(
            Launched own, DeviceImage target, String kernel, Transfer transfer, boolean changed) {
        long address = target.address();
        if (own.image == target
                && own.address == address
                && own.transfer == transfer
                && own.changed == changed
                && own.kernel.equals(kernel)) {
            return;
        }
        boolean copy = transfer == Transfer.COPY;
        // What looks behind the kernel reads its verdicts, which mapped memory makes slow.
        boolean onDevice = copy || changed;
        StagingBuffer to = own.buffer;
        long headers = copy ? to.deviceHeaders() : to.headers().deviceAddress();
        long verdicts = onDevice ? to.deviceVerdicts() : to.verdicts().deviceAddress();
        own.launch =
                context.device()
                        .prepare(
                                KernelCatalog.call(
                                        kernel, target.image(), address, headers, verdicts));
        own.image = target;
        own.address = address;
        own.transfer = transfer;
        own.changed = changed;
        own.kernel = kernel;
    }

    /**
     * Waits for the verdicts of a staging buffer.
     *
     * @throws GpuException if the kernel or a copy failed; the caller keeps the buffer
     */
    public void await(StagingBuffer buffer) {
        Launched own = own(buffer);
        ResidentKernel stays = own.resident;
        if (stays != null) {
            stays.await(own.ticket);
        } else if (own.shared) {
            context.device().await(buffer.done());
        } else {
            context.device().await(buffer.stream());
        }
    }

    /**
     * Waits for the verdicts of a staging buffer and reads them; the buffer may be launched again.
     *
     * @param from where the first verdict goes
     * @throws GpuException if the kernel or a copy failed; the buffer went back
     */
    public void read(StagingBuffer buffer, VerdictBatch verdicts, int from, int count) {
        try {
            await(buffer);
            buffer.verdicts().words().get(0, verdicts.rules(), from, count);
        } catch (RuntimeException e) {
            staging.give(buffer);
            throw e;
        }
    }

    /**
     * Waits for the verdicts of a staging buffer, reads them, and gives the buffer back, whatever
     * happens.
     *
     * @param from where the first verdict goes
     * @throws GpuException if the kernel or a copy failed
     */
    public void land(StagingBuffer buffer, VerdictBatch verdicts, int from, int count) {
        read(buffer, verdicts, from, count);
        staging.give(buffer);
    }
}
