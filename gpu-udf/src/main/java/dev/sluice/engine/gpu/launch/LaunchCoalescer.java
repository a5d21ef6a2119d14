package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.engine.lookup.Spares;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Batches of several operator instances that go to the device in one launch, and whose verdicts go
 * back each to its own, as PacketShader (§5.4) does with chunks of packets. A load is launched when
 * it is full, when it has the wanted number of batches, or when somebody waits for one of them: so
 * no batch waits only for others to come. Thread-safe.
 */
public final class LaunchCoalescer {
    private final BatchLauncher launcher;
    private final StagingPool staging;
    private final Spares<Load> loads;

    /** The load that is not launched yet; guarded by this. */
    private @Nullable Load open;

    /** No batches for an image yet. */
    public LaunchCoalescer(BatchLauncher launcher, StagingPool staging, DeviceImage image) {
        this.launcher = launcher;
        this.staging = staging;
        this.loads = new Spares<>(() -> new Load(image));
    }

    /**
     * Batches that one launch takes. Its batches and their count are guarded by the coalescer while
     * it is open, and fixed from then on; the rest is guarded by itself. It takes other batches
     * when nobody has it any more.
     */
    private static final class Load {
        private final DeviceImage image;
        private final List<HeaderBatch> batches = new ArrayList<>();
        private int count;

        /** Kernel of the batch that began it. */
        private String kernel = "";

        private OffloadMode mode = OffloadMode.PLAIN;

        /** Batches whose verdicts are not read, and threads that are about to launch it. */
        private final AtomicInteger users = new AtomicInteger();

        /** True if the CPU takes its batches if every staging buffer is taken. */
        private boolean helped;

        private boolean launched;

        /** Null once launched: the CPU takes its batches, or there is a failure. */
        private @Nullable StagingBuffer buffer;

        private @Nullable GpuException failure;
        private boolean landed;

        Load(DeviceImage image) {
            this.image = image;
        }

        /** Launches, once. A failure is kept for all. */
        synchronized void launch(BatchLauncher launcher, StagingPool staging) {
            if (launched) {
                return;
            }
            launched = true;
            try {
                StagingBuffer taken = helped ? staging.poll() : staging.take();
                if (taken != null) {
                    launcher.launch(taken, image, kernel, mode, batches, count);
                    buffer = taken;
                }
            } catch (GpuException e) {
                failure = e;
            }
        }

        /** Forgets its batches; returns the staging buffer that it had. */
        synchronized @Nullable StagingBuffer clear() {
            StagingBuffer had = buffer;
            batches.clear();
            count = 0;
            launched = false;
            buffer = null;
            failure = null;
            landed = false;
            return had;
        }
    }

    /** A batch's place in a load. Belongs to one batch at a time. */
    public static final class Place {
        private @Nullable Load load;
        private int from;
    }

    /**
     * Adds a batch, and launches its load if that is full now.
     *
     * @param place is told where the batch is
     * @param mode how the load is launched if the batch begins one, and the batches it takes
     * @param mostHeaders headers of a load
     * @param helped whether the CPU takes the batches of a load that the batch begins, if it finds
     *     every staging buffer taken; else who launches it waits for one
     */
    public void add(
            Place place,
            HeaderBatch batch,
            String kernel,
            OffloadMode mode,
            int mostHeaders,
            boolean helped) {
        Load before = null;
        Load full = null;
        synchronized (this) {
            Load load = open;
            if (load != null && load.count + batch.size() > mostHeaders) {
                before = load;
                before.users.incrementAndGet(); // or its batches might all be read before
                load = null;
            }
            if (load == null) {
                load = loads.take();
                load.kernel = kernel;
                load.mode = mode;
                load.helped = helped;
                open = load;
            }
            place.load = load;
            place.from = load.count;
            load.users.incrementAndGet();
            load.batches.add(batch);
            load.count += batch.size();
            if (load.batches.size() >= mode.batchesALaunch()) {
                full = load; // whose last batch is the caller's
                open = null;
            }
        }
        if (before != null) {
            before.launch(launcher, staging);
            leave(before);
        }
        if (full != null) {
            full.launch(launcher, staging);
        }
    }

    /**
     * Waits for a batch and reads its verdicts. The last batch of a load that is read gives the
     * staging buffer back.
     *
     * @return false if there are none: every staging buffer was taken, and the CPU is to help
     * @throws GpuException if the launch failed
     */
    @SuppressWarnings("ReferenceEquality") // the very load that is still open
    public boolean await(Place place, int[] verdicts, int count) {
        Load load = place.load;
        if (load == null) {
            throw new IllegalStateException("the batch is in no load");
        }
        place.load = null;
        synchronized (this) {
            if (open == load) {
                open = null;
            }
        }
        load.launch(launcher, staging);
        GpuException failure;
        boolean served;
        synchronized (load) {
            StagingBuffer buffer = load.buffer;
            served = buffer != null;
            try {
                if (load.failure == null && buffer != null) {
                    if (!load.landed) {
                        launcher.await(buffer);
                        load.landed = true;
                    }
                    buffer.verdicts().words().get(place.from, verdicts, 0, count);
                }
            } catch (GpuException e) {
                load.failure = e;
            }
            failure = load.failure;
        }
        leave(load);
        if (failure != null) {
            throw new GpuException(failure.code(), String.valueOf(failure.getMessage()));
        }
        return served;
    }

    /** One user less; behind the last one, the load may take other batches. */
    private void leave(Load load) {
        if (load.users.decrementAndGet() == 0) {
            StagingBuffer buffer = load.clear();
            loads.give(load);
            if (buffer != null) {
                staging.give(buffer);
            }
        }
    }
}
