package dev.sluice.engine.gpu;

import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Batches of several operator instances that go to the device in one launch, and whose verdicts go
 * back each to its own (PacketShader, §5.4, gathers chunks of packets so). A load is launched when
 * it is full, when it has the wanted number of batches, or when somebody waits for one of them:
 * nobody waits for company. Thread-safe.
 */
final class LaunchCoalescer {
    /** Starts on the words of some batches, one behind the other. */
    interface Launcher {
        /**
         * Launches.
         *
         * @param count headers of all batches
         */
        GpuDevice.Slot launch(List<HeaderBatch> batches, int count);
    }

    /** The load that is not launched yet; guarded by this. */
    private @Nullable Load open;

    /** Batches that one launch takes. Guarded by itself, but for what the Gathering says. */
    static final class Load {
        private final Launcher launcher;
        private final List<HeaderBatch> batches = new ArrayList<>();
        private int count;

        private GpuDevice.@Nullable Slot slot;
        private @Nullable GpuException failure;
        private boolean landed;
        private int unread;

        Load(Launcher launcher) {
            this.launcher = launcher;
        }

        /** Launches, once. A failure is kept for all. */
        synchronized void launch() {
            if (slot == null && failure == null) {
                unread = batches.size();
                try {
                    slot = launcher.launch(batches, count);
                } catch (GpuException e) {
                    failure = e;
                }
            }
        }
    }

    /** A batch's place in a load. */
    record Place(Load load, int from) {}

    /**
     * Adds a batch.
     *
     * @param most batches of a load
     * @param mostHeaders headers of a load
     * @param launcher launches the load if the batch begins one
     */
    Place add(HeaderBatch batch, int most, int mostHeaders, Launcher launcher) {
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
                load = new Load(launcher);
                open = load;
            }
            place = new Place(load, load.count);
            load.batches.add(batch);
            load.count += batch.size();
            if (load.batches.size() >= most) {
                full = load;
                open = null;
            }
        }
        if (before != null) {
            before.launch();
        }
        if (full != null) {
            full.launch();
        }
        return place;
    }

    /**
     * Waits for a batch and reads its verdicts.
     *
     * @throws GpuException if the launch failed
     */
    @SuppressWarnings("ReferenceEquality") // the very load that is still open
    void await(Place place, GpuDevice device, int[] verdicts, int count) {
        Load load = place.load;
        synchronized (this) {
            if (open == load) {
                open = null;
            }
        }
        load.launch();
        synchronized (load) {
            GpuDevice.Slot slot = load.slot;
            try {
                if (load.failure == null && !load.landed && slot != null) {
                    device.await(slot);
                    load.landed = true;
                }
                if (load.failure == null && slot != null) {
                    slot.verdicts.words().get(place.from, verdicts, 0, count);
                }
            } catch (GpuException e) {
                load.failure = e;
            }
            if (--load.unread == 0 && slot != null) {
                device.give(slot);
            }
            GpuException failure = load.failure;
            if (failure != null) {
                throw new GpuException(failure.code(), String.valueOf(failure.getMessage()));
            }
        }
    }
}
