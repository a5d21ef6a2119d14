package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceContext;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.Residency;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernels that stay on a device, one for each image and look-up that is asked for.
 *
 * <p>Thread-safe. All of them share one lock, the gate: a kernel is started, given a batch or asked
 * to leave under it, so that none starts while memory is taken or freed. Nobody waits for a batch
 * under the gate, but for kernels that leave, which end what they were given without the host.
 */
public final class Residents implements Residency {
    private static final Logger LOG = LoggerFactory.getLogger(Residents.class);

    private final DeviceContext context;
    private final ReentrantLock gate = new ReentrantLock();
    private final DeviceContext.Held held = gate::unlock;

    /** By image and name of the kernel; guarded by the gate, as all below. */
    private final Map<DeviceImage, Map<String, ResidentKernel>> kernels = new HashMap<>();

    private int idleMicros = 2_000;
    private int stayMicros = 50_000;

    /** No kernels yet. */
    public Residents(DeviceContext context) {
        this.context = context;
    }

    /**
     * When kernels that stay leave by themselves; for those that are made from now on.
     *
     * @param idle µs without a batch
     * @param stay µs though batches come: who else waits for the device gets it then
     */
    public void residency(int idle, int stay) {
        gate.lock();
        try (held) {
            idleMicros = idle;
            stayMicros = stay;
        }
    }

    /** The form of a kernel that stays, for an image. The caller has a staging buffer. */
    ResidentKernel of(DeviceImage image, String kernel) {
        gate.lock();
        try (held) {
            Map<String, ResidentKernel> ofImage =
                    kernels.computeIfAbsent(image, i -> new HashMap<>());
            ResidentKernel there = ofImage.get(kernel);
            if (there == null) {
                leave(); // it takes memory
                there =
                        new ResidentKernel(
                                gate,
                                context.device(),
                                KernelCatalog.residentCall(kernel, image.image(), image.address()),
                                1 + context.info().multiprocessors(),
                                idleMicros,
                                stayMicros);
                ofImage.put(kernel, there);
            }
            return there;
        }
    }

    /**
     * Lets the kernels leave. The next batch starts them again. Waits while the device is opened
     * anew.
     */
    public void rest() {
        DeviceContext.Held share = context.share();
        try (share) {
            suspend();
            resume();
        }
    }

    /** Lets the kernels leave. The caller holds the gate, and the context does not go. */
    private void leave() {
        try {
            if (!context.broken()) {
                kernels.values().forEach(m -> m.values().forEach(ResidentKernel::leave));
            }
        } catch (GpuException e) {
            context.fail(); // the next batch meets the failure, too
            LOG.warn("device {}: a kernel does not leave: {}", context.number(), e.getMessage());
        }
    }

    @Override
    public void suspend() {
        gate.lock();
        boolean well = false;
        try {
            leave();
            well = true;
        } finally {
            if (!well) {
                gate.unlock();
            }
        }
    }

    @Override
    public void resume() {
        gate.unlock();
    }

    @Override
    public void end(DeviceImage image) {
        runWhileAway(
                () -> {
                    Map<String, ResidentKernel> gone = kernels.remove(image);
                    if (gone != null && context.holds(image.epoch())) {
                        gone.values().forEach(ResidentKernel::close);
                    }
                });
    }

    /** Forgets all kernels: they go with the context, and so does what the host reads of them. */
    public void lost() {
        gate.lock();
        try (held) {
            kernels.clear();
        }
    }

    /** Ends all kernels, on a device that is about to be closed. */
    public void close() {
        suspend();
        try {
            kernels.values().forEach(m -> m.values().forEach(ResidentKernel::close));
        } finally {
            kernels.clear();
            resume();
        }
    }

    /** Kernels that may be on the device now. */
    public int running() {
        return sum(kernel -> kernel.running() ? 1 : 0);
    }

    /** How often the kernels that are there came to the device. */
    public int residencies() {
        return sum(ResidentKernel::residencies);
    }

    private int sum(ToIntFunction<ResidentKernel> figure) {
        DeviceContext.Held share = context.share();
        gate.lock();
        try (share;
                held) {
            int sum = 0;
            for (Map<String, ResidentKernel> ofImage : kernels.values()) {
                for (ResidentKernel kernel : ofImage.values()) {
                    sum += figure.applyAsInt(kernel);
                }
            }
            return sum;
        }
    }
}
