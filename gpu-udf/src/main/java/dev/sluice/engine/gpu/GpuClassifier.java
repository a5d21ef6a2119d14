package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.Spares;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Classifies batches on a device, several at once. Small ones, and all while the device fails, go
 * to the CPU: a batch whose launch fails is classified again there, so that no answer is lost or
 * wrong. After a failure the device is tried again, first after a second, then after twice as long
 * each time, up to a minute. Thread-safe; close it when done and nothing is under way.
 */
public final class GpuClassifier implements Classifier, AutoCloseable {
    /** No bound of the time that a batch waits for a staging buffer. */
    private static final long NO_WAIT = -1;

    private final GpuDevice device;
    private final Classifier cpu;
    final OffloadPath path;
    private final Spares<Flight> flights;
    private final Spares<StagedBatch> stagedBatches;

    /** The base alone. */
    private final VersionLookUp base;

    /** Changes behind the base, as far as the device follows them. */
    private final FollowedChanges followed;

    private volatile OffloadModes modes = OffloadModes.of(OffloadMode.PLAIN);
    private volatile boolean cpuHelps;

    private boolean closed;

    /**
     * A classifier.
     *
     * @param cpu looks into the same image on the CPU
     * @throws GpuException if the device has no room for the image
     */
    public GpuClassifier(GpuDevice device, Classifier cpu) {
        this(device, cpu, cpu.image());
    }

    /**
     * A classifier whose device looks into another image of the same rules than the CPU does.
     *
     * @param cpu looks the rules up on the CPU
     * @param image what the device looks into: of the same headers, and with the same verdicts
     * @throws GpuException if the device has no room for the image
     * @throws IllegalArgumentException if the images are of other headers or so many other rules
     */
    public GpuClassifier(GpuDevice device, Classifier cpu, Image image) {
        this(device, cpu, image, KernelCatalog.of(image), System::nanoTime);
    }

    /**
     * A classifier that runs a kernel of one's choice.
     *
     * @param kernel one of {@link KernelCatalog#names} that can read the image, or {@code trivial},
     *     which only moves the bytes
     * @throws GpuException if the device has no room for the image
     */
    public GpuClassifier(GpuDevice device, Classifier cpu, String kernel) {
        this(device, cpu, cpu.image(), kernel, System::nanoTime);
    }

    GpuClassifier(GpuDevice device, Classifier cpu, LongSupplier nanoTime) {
        this(device, cpu, cpu.image(), nanoTime);
    }

    GpuClassifier(GpuDevice device, Classifier cpu, Image image, LongSupplier nanoTime) {
        this(device, cpu, image, KernelCatalog.of(image), nanoTime);
    }

    private GpuClassifier(
            GpuDevice device, Classifier cpu, Image image, String kernel, LongSupplier nanoTime) {
        if (!image.layout().equals(cpu.layout()) || image.rules() != cpu.image().rules()) {
            throw new IllegalArgumentException(
                    "the device's image has headers of %s and %,d rules, the CPU's %s and %,d"
                            .formatted(
                                    image.layout(),
                                    image.rules(),
                                    cpu.layout(),
                                    cpu.image().rules()));
        }
        this.device = device;
        this.cpu = cpu;
        this.path = new OffloadPath(device, device.retain(image), kernel, nanoTime);
        this.base = cpu::classify;
        this.flights = new Spares<>(this::newFlight);
        this.stagedBatches = new Spares<>(this::newStagedBatch);
        this.followed = new FollowedChanges(device.memory());
    }

    /**
     * Lets versions be looked up on the device in which rules have changed since. Where this was
     * not called, or threw, the CPU looks such versions up.
     *
     * @param source what changes; its headers are those of the image
     * @throws GpuException if the device has no room for it, or fails
     */
    public void follow(ChangeSource source) {
        followed.follow(source);
    }

    /**
     * Ends {@link #follow}. None of the source's versions may be under way or come; nothing happens
     * where it is not followed.
     */
    public void unfollow(ChangeSource source) {
        followed.unfollow(source);
    }

    private Flight newFlight() {
        return new Flight(path, changes(), flights);
    }

    private StagedBatch newStagedBatch() {
        return new StagedBatch(path, changes(), stagedBatches);
    }

    private Changes changes() {
        return new Changes(deviceImage().layout(), deviceImage().rules());
    }

    /** The device's copy of what a version changes; null if there is none. */
    @Nullable DeviceChanges copyOf(VersionLookUp version) {
        return followed.copyOf(version);
    }

    /** Batches of fewer headers go to the CPU. */
    public void smallest(int fewestHeaders) {
        path.smallest = fewestHeaders;
    }

    /**
     * Chooses how batches go to the device.
     *
     * @throws IllegalArgumentException if the kernel has no form that stays, and it should
     */
    public void offloadMode(OffloadMode chosen) {
        if (chosen.launch() == LaunchMode.PERSISTENT && !mayStay()) {
            throw new IllegalArgumentException(kernel() + " has no form that stays on the device");
        }
        modes = OffloadModes.of(chosen);
    }

    /**
     * Returns whether the CPU takes a batch when every staging buffer of the device is taken and
     * the CPU was measured to be quicker than to wait.
     */
    public void cpuHelps(boolean helps) {
        cpuHelps = helps;
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        submit(headers, verdicts).await();
    }

    /** The image that the CPU looks into. */
    @Override
    public Image image() {
        return cpu.image();
    }

    /** The image that the device looks into: the CPU's own, or another one of the same rules. */
    public Image deviceImage() {
        return path.image.image();
    }

    /**
     * Starts on a batch of the rules as compiled; it must not change until the verdicts are there.
     */
    public PendingVerdicts submit(HeaderBatch batch, VerdictBatch verdicts) {
        return submit(base, batch, verdicts);
    }

    /**
     * Starts on a batch under a version.
     *
     * @param version whose base is this classifier's image; it stays until the verdicts are there
     */
    public PendingVerdicts submit(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        check(batch, verdicts);
        if (batch.size() < path.smallest || !followed.takes(version)) {
            return path.onCpu(version, batch, verdicts);
        }
        if (cpuHelps && full()) {
            return busy(version, batch, verdicts);
        }
        return onDevice(version, batch, verdicts, NO_WAIT);
    }

    /** Starts on a batch that found every staging buffer taken. */
    private PendingVerdicts busy(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        if (!path.staging.open()) { // the device is being opened anew, which takes long
            return path.onCpu(version, batch, verdicts);
        }
        long patience = path.help.patienceNanos(batch.size(), path.health.now());
        return patience > 0
                ? onDevice(version, batch, verdicts, patience)
                : path.helped(version, batch, verdicts);
    }

    /**
     * Starts on a batch on the device, if that may be tried.
     *
     * @param patience ns to wait for a staging buffer before the CPU takes the batch, which gets a
     *     launch of its own; {@link #NO_WAIT}: as long as it takes
     */
    private PendingVerdicts onDevice(
            VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts, long patience) {
        if (!path.health.mayTry()) {
            return path.onCpu(version, batch, verdicts);
        }
        boolean waits = patience != NO_WAIT;
        OffloadMode now = waits ? modes.alone(version) : modes.of(version);
        Flight flight = flights.take();
        long began = waits ? path.health.now() : 0;
        try {
            path.health.revive();
            Changes changed = followed.bring(version, flight.changes());
            if (changed == null && version.changed()) { // the device has no room for them
                flights.give(flight);
                return path.onCpu(version, batch, verdicts);
            }
            if (shares(now, batch)) {
                path.share(flight.place(), batch, now, cpuHelps);
                flight.begin(base, batch, verdicts, null, 0, path.health.now());
            } else {
                StagingBuffer first = firstBuffer(patience);
                if (first == null) {
                    flights.give(flight);
                    return late(
                            version, batch, verdicts, waits ? path.health.now() - began : NO_WAIT);
                }
                int from = path.launch(first, now, changed, batch, verdicts);
                flight.begin(version, batch, verdicts, first, from, path.health.now());
            }
        } catch (GpuException e) {
            flights.give(flight);
            return path.again(e, version, batch, verdicts);
        }
        if (waits) {
            flight.waited(path.health.now() - began);
        }
        if (now.launch() == LaunchMode.ON_DEMAND) {
            flight.await();
            return PendingVerdicts.READY;
        }
        return flight;
    }

    /**
     * Goes on with a batch that got no staging buffer.
     *
     * @param waited ns for which it waited; {@link #NO_WAIT}: another thread has taken the last one
     *     since it was looked for
     */
    private PendingVerdicts late(
            VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts, long waited) {
        if (waited == NO_WAIT) {
            return busy(version, batch, verdicts);
        }
        path.help.waitedInVain(batch.size(), waited, path.health.now());
        return path.helped(version, batch, verdicts);
    }

    /**
     * A staging buffer for a batch's first part. Who has batches under way waits without a bound
     * only where no CPU helps: all others may wait for a buffer, too.
     *
     * @return null if none came in time
     */
    private @Nullable StagingBuffer firstBuffer(long patience) {
        if (patience != NO_WAIT) {
            return path.staging.take(patience);
        }
        return cpuHelps ? path.staging.poll() : path.staging.take();
    }

    /** Returns whether a batch shares a launch with others. */
    private boolean shares(OffloadMode by, HeaderBatch batch) {
        return by.batchesALaunch() > 1 && batch.size() <= path.mostHeaders() / by.batchesALaunch();
    }

    /**
     * Memory for a batch. Does not wait.
     *
     * @param headers most headers of the batch
     * @return null where there is none free, or headers had better go by {@link #submit}
     */
    public @Nullable StagedHeaders stage(int headers) {
        return stage(base, headers);
    }

    /** As {@link #stage(int)}, for a batch under a version. */
    public @Nullable StagedHeaders stage(VersionLookUp version, int headers) {
        OffloadMode now = modes.of(version);
        int stride = headers + 31 & ~31;
        if (path.health.resting()
                || headers < path.smallest
                || now.batchesALaunch() > 1
                || !followed.takes(version)
                || stride > path.mostHeaders()) {
            return null;
        }
        StagedBatch staged = stagedBatches.take();
        StagingBuffer buffer = null;
        Changes changed = null;
        try {
            changed = followed.bring(version, staged.changes());
            buffer = changed == null && version.changed() ? null : path.staging.pollEarly();
        } catch (GpuException e) {
            path.health.failed(e);
        }
        if (buffer == null) {
            stagedBatches.give(staged);
            return null;
        }
        staged.begin(version, changed, buffer, stride, now);
        return staged;
    }

    /**
     * Returns whether a batch that is submitted now, without memory of {@link #stage}, waits for
     * another one. A thread that has batches under way reads their verdicts first.
     */
    public boolean full() {
        // A device that rests has no buffers at all.
        return !path.health.resting() && path.staging.full();
    }

    /** From now on batches are counted with those of other classifiers. */
    void countIn(OffloadFigures shared) {
        path.figures = shared;
    }

    /** Counts of batches and headers on the device and on the CPU. */
    public OffloadFigures figures() {
        return path.figures;
    }

    /** Returns whether the kernel has a form that stays on the device. */
    boolean mayStay() {
        return KernelCatalog.resident(kernel()) != null;
    }

    /** The kernel that it runs. */
    public String kernel() {
        return path.kernel;
    }

    /** How batches go to the device. */
    public OffloadMode offloadMode() {
        return modes.plain();
    }

    /** Kernels that stay leave the device: no batch comes for a while. */
    public void rest() {
        device.rest();
    }

    /** Returns whether the device fails and rests. */
    public boolean resting() {
        return path.health.resting();
    }

    /** The device. */
    public GpuDevice device() {
        return device;
    }

    /**
     * Bytes of the images on the host, where the device's is kept for the device to be opened anew,
     * of the one on the device, and of what changed there.
     */
    @Override
    @SuppressWarnings("ReferenceEquality") // the very image: that is kept once
    public long bytes() {
        Image there = deviceImage();
        long own = there == cpu.image() ? 0 : there.bytes();
        return cpu.image().bytes() + own + there.bytes() + changeBytes();
    }

    /** Bytes of what changes, on the device. */
    public long changeBytes() {
        return followed.bytes();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            try {
                followed.close();
            } finally {
                device.release(path.image);
            }
        }
    }
}
