package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.BatchLauncher;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchCoalescer;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
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
public final class GpuClassifier implements BatchClassifier, AutoCloseable {
    private final GpuDevice device;
    private final BatchLauncher launcher;
    private final StagingPool staging;
    private final Classifier cpu;
    private final String kernel;
    private final Health health;
    private final DeviceImage image;
    private final LaunchCoalescer coalescer;
    private volatile OffloadFigures figures = new OffloadFigures();

    /** The base alone. */
    private final VersionLookUp base;

    /** What changes behind the base, as far as the device follows it. */
    private final FollowedChanges followed;

    private volatile int smallest = 1;
    private volatile OffloadMode mode = OffloadMode.PLAIN;
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
        this.kernel = kernel;
        this.device = device;
        this.launcher = device.launcher();
        this.staging = device.memory().staging();
        this.cpu = cpu;
        this.health = new Health(device, nanoTime);
        this.image = device.retain(image);
        this.coalescer = launcher.coalescer(this.image);
        this.base = new CompiledBase(cpu);
        this.followed = new FollowedChanges(device.memory(), image);
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

    /** The device's copy of what a version changes; null if there is none. */
    @Nullable DeviceChanges copyOf(VersionLookUp version) {
        return followed.copyOf(version);
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
    public void offloadMode(OffloadMode chosen) {
        if (chosen.launch() == LaunchMode.PERSISTENT && !mayStay()) {
            throw new IllegalArgumentException(kernel + " has no form that stays on the device");
        }
        mode = chosen;
    }

    /** Whether the CPU takes a batch when every staging buffer of the device is taken. */
    public void cpuHelps(boolean helps) {
        cpuHelps = helps;
    }

    /** The image that the CPU looks into. */
    @Override
    public Image image() {
        return cpu.image();
    }

    /** The image that the device looks into: the CPU's own, or another one of the same rules. */
    public Image deviceImage() {
        return image.image();
    }

    @Override
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
        if (batch.size() < smallest
                || cpuHelps && staging.full()
                || !followed.takes(version)
                || !health.mayTry()) {
            return onCpu(version, batch, verdicts);
        }
        int most = staging.headers(batch.layout().size());
        OffloadMode now = mode(version);
        try {
            health.revive();
            Changes changed = followed.bring(version);
            if (changed == null && version.changed()) { // there is no room for them
                return onCpu(version, batch, verdicts);
            }
            if (now.batchesALaunch() > 1 && batch.size() <= most / now.batchesALaunch()) {
                return coalesce(batch, verdicts, now, most);
            }
            // A batch larger than a staging buffer goes in parts: all but the last are waited for
            // here, the last is under way when this returns.
            int from = 0;
            for (; batch.size() - from > most; from += most) {
                StagingBuffer full =
                        launcher.launch(image, kernel, now, changed, batch, from, most);
                launcher.land(full, verdicts, from, most);
            }
            int start = from;
            int count = batch.size() - from;
            StagingBuffer last = launcher.launch(image, kernel, now, changed, batch, start, count);
            return underWay(
                    now,
                    version,
                    batch,
                    verdicts,
                    () -> launcher.land(last, verdicts, start, count));
        } catch (GpuException e) {
            again(e, version, batch, verdicts);
            return PendingVerdicts.READY;
        }
    }

    private PendingVerdicts onCpu(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        figures.wentToCpu(batch.size());
        version.classify(batch, verdicts);
        return PendingVerdicts.READY;
    }

    /**
     * How batches of a version go to the device. A kernel that stays looks into the image alone,
     * and a launch is of one version alone, so that batches of versions with changes take a launch
     * each.
     */
    private OffloadMode mode(VersionLookUp version) {
        OffloadMode chosen = mode;
        return version.changed() ? chosen.launched().alone() : chosen;
    }

    private PendingVerdicts coalesce(
            HeaderBatch batch, VerdictBatch verdicts, OffloadMode now, int most) {
        LaunchCoalescer.Place place = coalescer.add(batch, image, kernel, now, most);
        return underWay(
                now,
                base,
                batch,
                verdicts,
                () -> coalescer.await(place, verdicts.rules(), batch.size()));
    }

    /** A batch that was launched: it ends with the verdicts, whatever happens. */
    private PendingVerdicts underWay(
            OffloadMode launchedBy,
            VersionLookUp version,
            HeaderBatch batch,
            VerdictBatch verdicts,
            Runnable landing) {
        return underWay(
                launchedBy,
                () -> {
                    try {
                        landing.run();
                        classified(batch.size());
                    } catch (GpuException e) {
                        again(e, version, batch, verdicts);
                    }
                });
    }

    /**
     * A batch that was launched.
     *
     * @param landing waits for its verdicts and reads them; throws nothing of the device
     */
    PendingVerdicts underWay(OffloadMode launchedBy, Runnable landing) {
        long began = health.now();
        PendingVerdicts flight =
                () -> {
                    landing.run();
                    figures.took((health.now() - began) / 1000);
                };
        if (launchedBy.launch() == LaunchMode.ON_DEMAND) {
            flight.await();
            return PendingVerdicts.READY;
        }
        return flight;
    }

    /** Launches the headers that are in a staging buffer. */
    void launch(
            StagingBuffer buffer,
            OffloadMode by,
            @Nullable Changes changed,
            int stride,
            int count) {
        launcher.launch(buffer, image, kernel, by, changed, layout().size(), stride, count);
    }

    /** The device classified a batch. */
    void classified(int count) {
        figures.classified(count);
        health.worked();
    }

    private void again(
            GpuException e, VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        failed(e, batch.size());
        version.classify(batch, verdicts);
    }

    /** A batch failed on the device, and the CPU classifies it again. */
    void failed(GpuException e, int count) {
        figures.failed(count);
        health.failed(e);
    }

    @Override
    public @Nullable StagedHeaders stage(int headers) {
        return stage(base, headers);
    }

    /** As {@link #stage(int)}, for a batch under a version. */
    public @Nullable StagedHeaders stage(VersionLookUp version, int headers) {
        OffloadMode now = mode(version);
        int stride = headers + 31 & ~31;
        if (health.resting()
                || headers < smallest
                || now.batchesALaunch() > 1
                || !followed.takes(version)
                || stride > staging.headers(layout().size())) {
            return null;
        }
        Changes changed;
        try {
            changed = followed.bring(version);
        } catch (GpuException e) {
            health.failed(e);
            return null;
        }
        StagingBuffer buffer = changed == null && version.changed() ? null : staging.poll();
        return buffer == null ? null : new StagedBatch(this, version, changed, buffer, stride, now);
    }

    /**
     * Pinned memory that headers can be written to without a detour, waiting for one that is free.
     * Failures are the caller's.
     *
     * @throws GpuException if the device failed and was not opened anew
     */
    public PinnedBatch pinned() {
        return new PinnedBatch(this, staging.take());
    }

    /** From now on batches are counted with those of other classifiers. */
    void countIn(OffloadFigures shared) {
        figures = shared;
    }

    /** What became of its batches. */
    OffloadFigures figures() {
        return figures;
    }

    /** Batches that the device classified. */
    public long batches() {
        return figures.batches();
    }

    /** Headers that the device classified. */
    public long headers() {
        return figures.headers();
    }

    /** Batches that went to the CPU at once: small ones, and those while the device rests. */
    public long cpuBatches() {
        return figures.cpuBatches();
    }

    /** Headers that the CPU classified, of both kinds: at once, and after a failure. */
    public long cpuHeaders() {
        return figures.cpuHeaders();
    }

    /** Batches that failed on the device and were classified again on the CPU. */
    public long fallBacks() {
        return figures.fallBacks();
    }

    /** µs from the start of the last batch to its verdicts. */
    public long flightMicros() {
        return figures.lastMicros();
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
    public OffloadMode offloadMode() {
        return mode;
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
                device.release(image);
            }
        }
    }
}
