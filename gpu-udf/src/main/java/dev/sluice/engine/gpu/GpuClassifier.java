package dev.sluice.engine.gpu;

import dev.sluice.engine.Classifier;
import dev.sluice.engine.VerdictBatch;
import dev.sluice.engine.image.Image;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies batches on a device. Small ones, and all while the device fails, go to the CPU: a
 * batch whose launch fails is classified again there, so that no answer is lost or wrong. After a
 * failure the device is tried again, first after a second, then after twice as long each time, up
 * to a minute. Thread-safe; close it when done.
 */
public final class GpuClassifier implements Classifier, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GpuClassifier.class);
    private static final long FIRST_BACK_OFF_NANOS = 1_000_000_000L;
    private static final long LONGEST_BACK_OFF_NANOS = 60_000_000_000L;

    private final GpuDevice device;
    private final Classifier cpu;
    private final int smallest;
    private final LongSupplier nanoTime;
    private final GpuImage image;
    private final LongAdder batches = new LongAdder();
    private final LongAdder headers = new LongAdder();
    private final LongAdder cpuBatches = new LongAdder();
    private final LongAdder fallBacks = new LongAdder();

    /** When the device may be tried again, by {@link #nanoTime}; guarded by this. */
    private long retryAt;

    /** 0 while the device works. */
    private volatile long backOffNanos;

    private boolean closed;

    /**
     * A classifier.
     *
     * @param cpu looks into the same image on the CPU
     * @param smallest batches of fewer headers go to the CPU
     * @throws GpuException if the device has no room for the image
     */
    public GpuClassifier(GpuDevice device, Classifier cpu, int smallest) {
        this(device, cpu, smallest, System::nanoTime);
    }

    GpuClassifier(GpuDevice device, Classifier cpu, int smallest, LongSupplier nanoTime) {
        this.device = device;
        this.cpu = cpu;
        this.smallest = smallest;
        this.nanoTime = nanoTime;
        this.image = device.retain(cpu.image());
    }

    @Override
    public Image image() {
        return cpu.image();
    }

    @Override
    public void classify(HeaderBatch batch, VerdictBatch verdicts) {
        check(batch, verdicts);
        if (batch.size() < smallest || !mayTry()) {
            cpuBatches.increment();
            cpu.classify(batch, verdicts);
            return;
        }
        try {
            onDevice(batch, verdicts.rules());
            if (backOffNanos != 0) {
                recovered();
            }
        } catch (GpuException e) {
            failed(e);
            cpu.classify(batch, verdicts);
        }
    }

    private void onDevice(HeaderBatch batch, int[] verdicts) {
        int size = batch.layout().size();
        int most = device.slotHeaders(size);
        for (int from = 0; from < batch.size(); from += most) {
            int n = Math.min(most, batch.size() - from);
            int stride = n + 31 & ~31;
            GpuDevice.Slot slot = device.take();
            try {
                device.arm(slot, image);
                for (int p = 0; p < size; p++) {
                    slot.headers
                            .words()
                            .put(p * stride, batch.words(), p * batch.capacity() + from, n);
                }
                device.device()
                        .copyIn(slot.deviceHeaders, slot.headers, 4L * size * stride, slot.stream);
                slot.launch.run(stride, n, slot.stream);
                device.device().copyOut(slot.verdicts, slot.deviceVerdicts, 4L * n, slot.stream);
                device.device().await(slot.stream);
                slot.verdicts.words().get(0, verdicts, from, n);
            } finally {
                device.give(slot);
            }
        }
        batches.increment();
        headers.add(batch.size());
    }

    private boolean mayTry() {
        if (backOffNanos == 0) {
            return true;
        }
        synchronized (this) {
            if (nanoTime.getAsLong() - retryAt < 0) {
                return false;
            }
            retryAt = nanoTime.getAsLong() + backOffNanos; // one batch tries, the others wait
            return true;
        }
    }

    private synchronized void failed(GpuException e) {
        fallBacks.increment();
        boolean first = backOffNanos == 0;
        backOffNanos =
                first ? FIRST_BACK_OFF_NANOS : Math.min(2 * backOffNanos, LONGEST_BACK_OFF_NANOS);
        retryAt = nanoTime.getAsLong() + backOffNanos;
        if (first) {
            LOG.warn(
                    "device {} ({}) fails: {}; the CPU classifies until it works again",
                    device.number(),
                    device.info().name(),
                    e.getMessage());
        }
    }

    private synchronized void recovered() {
        if (backOffNanos != 0) {
            backOffNanos = 0;
            LOG.info("device {} ({}) works again", device.number(), device.info().name());
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

    /** Whether the device fails and rests. */
    public boolean resting() {
        return backOffNanos != 0;
    }

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
