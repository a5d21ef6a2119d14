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
public final class GpuClassifier implements BatchClassifier, AutoCloseable {
    /** No bound of the time that a batch waits for a staging buffer. */
    private static final long NO_WAIT = -1;

    private final GpuDevice device;
    private final BatchLauncher launcher;
    private final StagingPool staging;
    private final Classifier cpu;
    private final String kernel;
    private final Health health;
    private final DeviceImage image;
    private final LaunchCoalescer coalescer;
    private final CpuHelp help = new CpuHelp();
    private final Spares<Flight> flights;
    private final Spares<StagedBatch> stagedBatches;
    private volatile OffloadFigures figures = new OffloadFigures();

    /** The base alone. */
    private final VersionLookUp base;

    /** Changes behind the base, as far as the device follows them. */
    private final FollowedChanges followed;

    private volatile int smallest = 1;
    private volatile Modes modes = Modes.of(OffloadMode.PLAIN);
    private volatile boolean cpuHelps;

    private boolean closed;

    /**
     * How batches go to the device. A kernel that stays looks into the image alone, and a launch is
     * of one version alone, so that batches of versions with changes take a launch each.
     */
    private record Modes(OffloadMode plain, OffloadMode alone, OffloadMode changed) {
        static Modes of(OffloadMode chosen) {
            return new Modes(chosen, chosen.alone(), chosen.launched().alone());
        }

        /** A launch for one batch, whatever is chosen. */
        OffloadMode alone(VersionLookUp version) {
            return version.changed() ? changed : alone;
        }

        OffloadMode of(VersionLookUp version) {
            return version.changed() ? changed : plain;
        }
    }

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
        this.flights = new Spares<>(() -> new Flight(this, changes()));
        this.stagedBatches = new Spares<>(() -> new StagedBatch(this, changes()));
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

    private Changes changes() {
        return new Changes(deviceImage().layout(), deviceImage().rules());
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
        modes = Modes.of(chosen);
    }

    /**
     * Returns whether the CPU takes a batch when every staging buffer of the device is taken and
     * the CPU was measured to be quicker than to wait.
     */
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
        if (batch.size() < smallest || !followed.takes(version)) {
            return onCpu(version, batch, verdicts);
        }
        if (cpuHelps && full()) {
            return busy(version, batch, verdicts);
        }
        return onDevice(version, batch, verdicts, NO_WAIT);
    }

    /** Starts on a batch that found every staging buffer taken. */
    private PendingVerdicts busy(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        if (!staging.open()) { // the device is being opened anew, which takes long
            return onCpu(version, batch, verdicts);
        }
        long patience = help.patienceNanos(batch.size(), health.now());
        return patience > 0
                ? onDevice(version, batch, verdicts, patience)
                : helped(version, batch, verdicts);
    }

    /** The CPU takes a batch of a busy device. */
    PendingVerdicts helped(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        long began = health.now();
        onCpu(version, batch, verdicts);
        long now = health.now();
        help.cpuTook(batch.size(), now - began, now);
        return PendingVerdicts.READY;
    }

    /**
     * Starts on a batch on the device, if that may be tried.
     *
     * @param patience ns to wait for a staging buffer before the CPU takes the batch, which gets a
     *     launch of its own; {@link #NO_WAIT}: as long as it takes
     */
    private PendingVerdicts onDevice(
            VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts, long patience) {
        if (!health.mayTry()) {
            return onCpu(version, batch, verdicts);
        }
        boolean waits = patience != NO_WAIT;
        OffloadMode now = waits ? modes.alone(version) : modes.of(version);
        Flight flight = flights.take();
        long began = waits ? health.now() : 0;
        try {
            health.revive();
            Changes changed = followed.bring(version, flight.changes());
            if (changed == null && version.changed()) { // the device has no room for them
                flights.give(flight);
                return onCpu(version, batch, verdicts);
            }
            if (shares(now, batch)) {
                coalescer.add(flight.place(), batch, kernel, now, most(batch), cpuHelps);
                flight.begin(base, batch, verdicts, null, 0, health.now());
            } else {
                StagingBuffer first = firstBuffer(patience);
                if (first == null) {
                    flights.give(flight);
                    return late(version, batch, verdicts, waits ? health.now() - began : NO_WAIT);
                }
                launch(flight, now, changed, version, batch, verdicts, first);
            }
        } catch (GpuException e) {
            flights.give(flight);
            again(e, version, batch, verdicts);
            return PendingVerdicts.READY;
        }
        if (waits) {
            flight.waited(health.now() - began);
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
        help.waitedInVain(batch.size(), waited, health.now());
        return helped(version, batch, verdicts);
    }

    /**
     * A staging buffer for a batch's first part. Who has batches under way waits without a bound
     * only where no CPU helps: all others may wait for a buffer, too.
     *
     * @return null if none came in time
     */
    private @Nullable StagingBuffer firstBuffer(long patience) {
        if (patience != NO_WAIT) {
            return staging.take(patience);
        }
        return cpuHelps ? staging.poll() : staging.take();
    }

    /** Headers that a staging buffer takes at most. */
    private int most(HeaderBatch batch) {
        return staging.headers(batch.layout().size());
    }

    /** Returns whether a batch shares a launch with others. */
    private boolean shares(OffloadMode by, HeaderBatch batch) {
        return by.batchesALaunch() > 1 && batch.size() <= most(batch) / by.batchesALaunch();
    }

    /**
     * Launches a batch.
     *
     * @param next a staging buffer for its parts, one after the other
     */
    private void launch(
            Flight flight,
            OffloadMode now,
            @Nullable Changes changed,
            VersionLookUp version,
            HeaderBatch batch,
            VerdictBatch verdicts,
            StagingBuffer next) {
        int most = most(batch);
        // A batch larger than a staging buffer goes in parts: all but the last are waited for
        // here, the last is under way when this returns.
        int from = 0;
        for (; batch.size() - from > most; from += most) {
            launcher.launch(next, image, kernel, now, changed, batch, from, most);
            launcher.read(next, verdicts, from, most);
        }
        int count = batch.size() - from;
        StagingBuffer last = launcher.launch(next, image, kernel, now, changed, batch, from, count);
        flight.begin(version, batch, verdicts, last, from, health.now());
    }

    private PendingVerdicts onCpu(VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
        figures.wentToCpu(batch.size());
        version.classify(batch, verdicts);
        return PendingVerdicts.READY;
    }

    /** Waits for a part of a batch that has a launch of its own, and reads its verdicts. */
    void land(StagingBuffer buffer, VerdictBatch verdicts, int from, int count) {
        launcher.land(buffer, verdicts, from, count);
    }

    /**
     * Waits for a batch that shares a launch, and reads its verdicts.
     *
     * @return false if the launch found every staging buffer taken: the CPU is to help
     */
    boolean landShared(LaunchCoalescer.Place place, VerdictBatch verdicts, int count) {
        return coalescer.await(place, verdicts.rules(), count);
    }

    /** The time that {@link #took} reckons with. */
    long now() {
        return health.now();
    }

    /** A batch that was launched at a time has its verdicts. */
    void took(long began) {
        figures.took((health.now() - began) / 1000);
    }

    /** A batch of a busy device has its verdicts, for which its thread gave so long. */
    void waited(long nanos) {
        help.deviceTook(nanos, health.now());
    }

    /** A flight may serve another batch. */
    void ended(Flight flight) {
        flights.give(flight);
    }

    /** A staged batch may serve as another one. */
    void ended(StagedBatch batch) {
        stagedBatches.give(batch);
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

    /** A batch failed on the device: the CPU answers. */
    void again(GpuException e, VersionLookUp version, HeaderBatch batch, VerdictBatch verdicts) {
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
        OffloadMode now = modes.of(version);
        int stride = headers + 31 & ~31;
        if (health.resting()
                || headers < smallest
                || now.batchesALaunch() > 1
                || !followed.takes(version)
                || stride > staging.headers(layout().size())) {
            return null;
        }
        StagedBatch staged = stagedBatches.take();
        StagingBuffer buffer = null;
        Changes changed = null;
        try {
            changed = followed.bring(version, staged.changes());
            buffer = changed == null && version.changed() ? null : staging.pollEarly();
        } catch (GpuException e) {
            health.failed(e);
        }
        if (buffer == null) {
            stagedBatches.give(staged);
            return null;
        }
        staged.begin(version, changed, buffer, stride, now);
        return staged;
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

    /**
     * Returns whether a batch that is submitted now, without memory of {@link #stage}, waits for
     * another one. A thread that has batches under way reads their verdicts first.
     */
    public boolean full() {
        return !health.resting() && staging.full(); // a device that rests has no buffers at all
    }

    /** From now on batches are counted with those of other classifiers. */
    void countIn(OffloadFigures shared) {
        figures = shared;
    }

    /** Returns the counts of its batches. */
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

    /** Returns whether the kernel has a form that stays on the device. */
    boolean mayStay() {
        return KernelCatalog.resident(kernel) != null;
    }

    /** The kernel that it runs. */
    public String kernel() {
        return kernel;
    }

    /** How batches go to the device. */
    public OffloadMode offloadMode() {
        return modes.plain;
    }

    /** Kernels that stay leave the device: no batch comes for a while. */
    @Override
    public void rest() {
        device.rest();
    }

    /** Returns whether the device fails and rests. */
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
