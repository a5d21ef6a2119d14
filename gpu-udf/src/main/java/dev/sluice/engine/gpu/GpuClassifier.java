package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Classifies batches on a device, several at once. Small ones, and all while the device fails, go
 * to the CPU: a batch whose launch fails is classified again there, so that no answer is lost or
 * wrong. After a failure the device is tried again, first after a second, then after twice as long
 * each time, up to a minute. Thread-safe; close it when done and nothing is under way.
 */
public final class GpuClassifier implements BatchClassifier, AutoCloseable {
    private final GpuDevice device;
    private final Classifier cpu;
    private final String kernel;
    private final Health health;
    private final GpuImage image;
    private final LongAdder batches = new LongAdder();
    private final LongAdder headers = new LongAdder();
    private final LongAdder cpuBatches = new LongAdder();
    private final LongAdder fallBacks = new LongAdder();

    private volatile int smallest = 1;
    private volatile OffloadMode way = OffloadMode.PLAIN;
    private volatile boolean cpuHelps;
    private volatile long flightMicros;

    private boolean closed;

    /**
     * A classifier.
     *
     * @param cpu looks into the same image on the CPU
     * @throws GpuException if the device has no room for the image
     */
    public GpuClassifier(GpuDevice device, Classifier cpu) {
        this(device, cpu, KernelCatalog.of(cpu.image()));
    }

    /**
     * A classifier that runs a kernel of one's choice.
     *
     * @param kernel one of {@link KernelCatalog#names} that can read the image, or {@code trivial},
     *     which only moves the bytes
     * @throws GpuException if the device has no room for the image
     */
    public GpuClassifier(GpuDevice device, Classifier cpu, String kernel) {
        this(device, cpu, kernel, System::nanoTime);
    }

    GpuClassifier(GpuDevice device, Classifier cpu, LongSupplier nanoTime) {
        this(device, cpu, KernelCatalog.of(cpu.image()), nanoTime);
    }

    private GpuClassifier(GpuDevice device, Classifier cpu, String kernel, LongSupplier nanoTime) {
        this.kernel = kernel;
        this.device = device;
        this.cpu = cpu;
        this.health = new Health(device, nanoTime);
        this.image = device.retain(cpu.image());
    }

    /** Batches of fewer headers go to the CPU. */
    public void smallest(int fewestHeaders) {
        smallest = fewestHeaders;
    }

    /**
     * Chooses how batches go to the device.
     *
     * @throws IllegalArgumentException if the kernel has no form that stays, and it should
     */
    public void handOver(OffloadMode chosen) {
        if (chosen.launch() == LaunchMode.PERSISTENT && !mayStay()) {
            throw new IllegalArgumentException(kernel + " has no form that stays on the device");
        }
        way = chosen;
    }

    /** Whether the CPU takes a batch when every slot of the device is under way. */
    public void cpuHelps(boolean helps) {
        cpuHelps = helps;
    }

    @Override
    public Image image() {
        return cpu.image();
    }

    @Override
    public PendingVerdicts submit(HeaderBatch batch, VerdictBatch verdicts) {
        check(batch, verdicts);
        if (batch.size() < smallest || cpuHelps && device.full() || !health.mayTry()) {
            cpuBatches.increment();
            cpu.classify(batch, verdicts);
            return PendingVerdicts.READY;
        }
        int most = device.slotHeaders(batch.layout().size());
        OffloadMode how = way;
        try {
            health.revive();
            if (how.gather() > 1 && batch.size() <= most / how.gather()) {
                return gather(batch, verdicts, how, most);
            }
            // All chunks but the last land here: a batch of one slot stays under way.
            int from = 0;
            for (; batch.size() - from > most; from += most) {
                device.land(
                        device.launch(image, kernel, how, batch, from, most), verdicts, from, most);
            }
            int start = from;
            int count = batch.size() - from;
            GpuDevice.Slot slot = device.launch(image, kernel, how, batch, start, count);
            return landing(how, batch, verdicts, () -> device.land(slot, verdicts, start, count));
        } catch (GpuException e) {
            again(e, batch, verdicts);
            return PendingVerdicts.READY;
        }
    }

    /** The flight of a batch that was started on: it ends with the verdicts, whatever happens. */
    private PendingVerdicts landing(
            OffloadMode how, HeaderBatch batch, VerdictBatch verdicts, Runnable landing) {
        return landing(
                how,
                () -> {
                    try {
                        landing.run();
                        landed(batch.size());
                    } catch (GpuException e) {
                        again(e, batch, verdicts);
                    }
                });
    }

    private void landed(int count) {
        batches.increment();
        headers.add(count);
        health.worked();
    }

    private PendingVerdicts landing(OffloadMode how, Runnable landing) {
        long began = health.now();
        PendingVerdicts flight =
                () -> {
                    landing.run();
                    flightMicros = (health.now() - began) / 1000;
                };
        if (how.launch() == LaunchMode.ON_DEMAND) {
            flight.await();
            return PendingVerdicts.READY;
        }
        return flight;
    }

    private PendingVerdicts gather(
            HeaderBatch batch, VerdictBatch verdicts, OffloadMode how, int most) {
        LaunchCoalescer.Place place =
                image.gathering.add(
                        batch,
                        how.gather(),
                        most,
                        (all, count) -> device.launch(image, kernel, how, all, 0, count, count));
        return landing(
                how,
                batch,
                verdicts,
                () -> image.gathering.await(place, device, verdicts.rules(), batch.size()));
    }

    private void again(GpuException e, HeaderBatch batch, VerdictBatch verdicts) {
        failed(e);
        cpu.classify(batch, verdicts);
    }

    private void failed(GpuException e) {
        fallBacks.increment();
        health.failed(e);
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        OffloadMode how = way;
        int stride = headers + 31 & ~31;
        if (health.resting()
                || headers < smallest
                || how.gather() > 1
                || stride > device.slotHeaders(layout().size())) {
            return null;
        }
        GpuDevice.Slot slot = device.poll();
        return slot == null ? null : new PinnedStaging(slot, stride, how);
    }

    /** A slot that a batch is written to. */
    private final class PinnedStaging implements StagedHeaders {
        private final GpuDevice.Slot slot;
        private final int stride;
        private final OffloadMode how;

        PinnedStaging(GpuDevice.Slot slot, int stride, OffloadMode how) {
            this.slot = slot;
            this.stride = stride;
            this.how = how;
        }

        @Override
        public IntBuffer words() {
            return slot.headers.words();
        }

        @Override
        public int stride() {
            return stride;
        }

        @Override
        public void drop() {
            device.give(slot);
        }

        @Override
        public PendingVerdicts submit(int count, HeaderBatch spare, VerdictBatch verdicts) {
            // The CPU's copy is made only where it is needed, but before the slot goes.
            if (count < smallest || health.resting()) {
                cpuBatches.increment();
                answer(count, stride, spare, verdicts);
                return PendingVerdicts.READY;
            }
            int used = tight(count);
            try {
                device.launch(slot, image, kernel, how, layout().size(), used, count);
                return landing(how, () -> land(count, used, spare, verdicts));
            } catch (GpuException e) {
                failed(e, count, used, spare, verdicts);
                return PendingVerdicts.READY;
            }
        }

        /** Of a batch that is less than half full, words move together, so that less travels. */
        private int tight(int count) {
            int used = count + 31 & ~31;
            if (2 * used > stride) {
                return stride;
            }
            IntBuffer words = words();
            for (int p = 1; p < layout().size(); p++) {
                for (int i = 0; i < count; i++) {
                    words.put(p * used + i, words.get(p * stride + i));
                }
            }
            return used;
        }

        private void land(int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
            try {
                device.await(slot);
                slot.verdicts.words().get(0, verdicts.rules(), 0, count);
            } catch (GpuException e) {
                failed(e, count, used, spare, verdicts);
                return;
            }
            device.give(slot);
            landed(count);
        }

        private void failed(
                GpuException e, int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
            GpuClassifier.this.failed(e);
            answer(count, used, spare, verdicts);
        }

        /** The CPU answers, from a copy of the headers. */
        private void answer(int count, int used, HeaderBatch spare, VerdictBatch verdicts) {
            for (int p = 0; p < layout().size(); p++) {
                words().get(p * used, spare.words(), p * spare.capacity(), count);
            }
            spare.size(count);
            device.give(slot);
            cpu.classify(spare, verdicts);
        }
    }

    /**
     * Pinned memory that headers can be written to without a detour, waiting for one that is free.
     * Failures are the caller's.
     */
    public PinnedBatch pinned() {
        return new PinnedBatch(device.take());
    }

    /** A batch in pinned memory. Not thread-safe; close it to give the memory back. */
    public final class PinnedBatch implements AutoCloseable {
        private final GpuDevice.Slot slot;

        PinnedBatch(GpuDevice.Slot slot) {
            this.slot = slot;
        }

        /** Room for headers: word w of header i at w * stride + i. */
        public IntBuffer headers() {
            return slot.headers.words();
        }

        /** The verdicts when they are there. */
        public IntBuffer verdicts() {
            return slot.verdicts.words();
        }

        /** Starts on the headers. */
        public void submit(int stride, int count) {
            device.launch(slot, image, kernel, way, layout().size(), stride, count);
        }

        /** Waits for the verdicts. */
        public void await() {
            device.await(slot);
        }

        @Override
        public void close() {
            device.give(slot);
        }
    }

    /** Batches that the device classified. */
    public long batches() {
        return batches.sum();
    }

    /** Headers that the device classified. */
    public long headers() {
        return headers.sum();
    }

    /** Batches that went to the CPU at once: small ones, and those while the device rests. */
    public long cpuBatches() {
        return cpuBatches.sum();
    }

    /** Batches that failed on the device and were classified again on the CPU. */
    public long fallBacks() {
        return fallBacks.sum();
    }

    /** µs from the start of the last batch to its verdicts. */
    public long flightMicros() {
        return flightMicros;
    }

    /** Fewest headers of a batch that goes to the device. */
    public int smallest() {
        return smallest;
    }

    /** Whether the kernel has a form that stays on the device. */
    boolean mayStay() {
        return KernelCatalog.resident(kernel) != null;
    }

    /** The kernel that it runs. */
    public String kernel() {
        return kernel;
    }

    /** How batches go to the device. */
    public OffloadMode handOver() {
        return way;
    }

    /** Kernels that stay leave the device: no batch comes for a while. */
    @Override
    public void rest() {
        device.rest();
    }

    /** Whether the device fails and rests. */
    public boolean resting() {
        return health.resting();
    }

    /** The device. */
    public GpuDevice device() {
        return device;
    }

    /** The image's bytes on the host and on the device. */
    @Override
    public long bytes() {
        return 2 * cpu.image().bytes();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            device.release(image);
        }
    }
}
