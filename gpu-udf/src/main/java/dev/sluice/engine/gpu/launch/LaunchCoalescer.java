package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.StagingPool;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
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

    /** The load that is not launched yet; guarded by this. */
    private @Nullable Load open;

    /** No batches yet. */
    LaunchCoalescer(BatchLauncher launcher, StagingPool staging) {
        this.launcher = launcher;
        this.staging = staging;
    }

    /**
     * Batches that one launch takes. Its batches and their count are guarded by the coalescer while
     * it is open, and fixed from then on; the rest is guarded by itself.
     */
    private static final class Load {
        private final Launch launch;
        private final List<HeaderBatch> batches = new ArrayList<>();
        private int count;

        private @Nullable StagingBuffer buffer;
        private @Nullable GpuException failure;
        private boolean landed;
        private int unread;

        Load(Launch launch) {
            this.launch = launch;
        }

        /** Launches, once. A failure is kept for all. */
        synchronized void launch(BatchLauncher launcher) {
            if (buffer == null && failure == null) {
                unread = batches.size();
                try {
                    buffer =
                            launcher.launch(
                                    launch.image,
                                    launch.kernel,
                                    launch.mode,
                                    null,
                                    batches,
                                    0,
                                    count,
                                    count);
                } catch (GpuException e) {
                    failure = e;
                }
            }
        }
    }

    /** What a load is launched with: that of the batch that began it. */
    private record Launch(DeviceImage image, String kernel, OffloadMode mode) {}

    /** A batch's place in a load. */
    public static final class Place {
        private final Load load;
        private final int from;

        private Place(Load load, int from) {
            this.load = load;
            this.from = from;
        }
    }

    /**
     * Adds a batch, and launches its load if that is full now.
     *
     * @param mode how the load is launched if the batch begins one, and the batches it takes
     * @param mostHeaders headers of a load
     */
    public Place add(
            HeaderBatch batch,
            DeviceImage image,
            String kernel,
            OffloadMode mode,
            int mostHeaders) {
        Load before = null;
        Load full = null;
        Place place;
        synchronized (this) {
            Load load = open;
            if (load != null && load.count + batch.size() > mostHeaders) {
                before = load;
                load = null;
            }
            if (load == null) {
                load = new Load(new Launch(image, kernel, mode));
                open = load;
            }
            place = new Place(load, load.count);
            load.batches.add(batch);
            load.count += batch.size();
            if (load.batches.size() >= mode.batchesALaunch()) {
                full = load;
                open = null;
            }
        }
        if (before != null) {
            before.launch(launcher);
        }
        if (full != null) {
            full.launch(launcher);
        }
        return place;
    }

    /**
     * Waits for a batch and reads its verdicts. The last batch of a load that is read gives the
     * staging buffer back.
     *
     * @throws GpuException if the launch failed
     */
    @SuppressWarnings("ReferenceEquality") // the very load that is still open
    public void await(Place place, int[] verdicts, int count) {
        Load load = place.load;
        synchronized (this) {
            if (open == load) {
                open = null;
            }
        }
        load.launch(launcher);
        synchronized (load) {
            StagingBuffer buffer = load.buffer;
            try {
                if (load.failure == null && !load.landed && buffer != null) {
                    launcher.await(buffer);
                    load.landed = true;
                }
                if (load.failure == null && buffer != null) {
                    buffer.verdicts().words().get(place.from, verdicts, 0, count);
                }
            } catch (GpuException e) {
                load.failure = e;
            }
            if (--load.unread == 0 && buffer != null) {
                staging.give(buffer);
            }
            GpuException failure = load.failure;
            if (failure != null) {
                throw new GpuException(failure.code(), String.valueOf(failure.getMessage()));
            }
        }
    }
}
