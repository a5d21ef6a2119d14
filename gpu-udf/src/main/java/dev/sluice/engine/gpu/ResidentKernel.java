package dev.sluice.engine.gpu;

import dev.sluice.engine.lookup.LaunchShape;
import java.lang.invoke.VarHandle;
import java.nio.IntBuffer;

/**
 * A kernel that stays on a device and takes batches from a ring in pinned memory: the host's side
 * of {@code resident.cuh} ({@link RingLayout}). It is started with the first batch, leaves by
 * itself after a while without one and after a while at all, and is started again when batches
 * wait.
 *
 * <p>Thread-safe. Order of memory: an entry is written before the ring's head, with a release fence
 * between; the device writes verdicts before the entry's mark, with a system-wide fence between,
 * and readers of the mark put an acquire fence behind it.
 */
final class ResidentKernel {
    /** Spins between two questions to the driver whether the kernel still runs. */
    private static final int SPINS = 4096;

    private final GpuDriver.Device device;
    private final GpuDriver.Pinned memory;
    private final IntBuffer ring;
    private final long control;
    private final GpuDriver.Stream stream;
    private final GpuDriver.Launch launch;
    private final int blocks;

    /** Batches handed over, modulo 2^32; guarded by this, as all below. */
    private int head;

    private int residency;
    private boolean running;

    /**
     * A kernel that is not started yet.
     *
     * @param kernel name of the kernel that stays
     * @param shape its launch: one block watches the ring
     * @param idleMicros µs without a batch after which it leaves
     * @param stayMicros µs after which it leaves though batches come
     */
    ResidentKernel(
            GpuDriver.Device device,
            String kernel,
            LaunchShape shape,
            long image,
            int[] plan,
            int blocks,
            int idleMicros,
            int stayMicros) {
        this.device = device;
        this.blocks = blocks;
        this.memory = device.allocatePinned(RingLayout.WORDS);
        this.ring = memory.words();
        for (int w = 0; w < RingLayout.WORDS; w++) {
            ring.put(w, 0);
        }
        ring.put(RingLayout.IDLE_MICROS, idleMicros);
        ring.put(RingLayout.STAY_MICROS, stayMicros);
        this.control = device.allocate(4L * RingLayout.WORDS);
        device.upload(control, new int[RingLayout.WORDS], 0, RingLayout.WORDS);
        this.stream = device.stream();
        this.launch = device.prepare(kernel, shape, image, memory.deviceAddress(), control, plan);
    }

    /**
     * Hands a batch over.
     *
     * @param headers address of its words for the device
     * @return its ticket
     */
    synchronized int submit(long headers, long verdicts, int stride, int count) {
        int ticket = head;
        int entry = RingLayout.ENTRY + RingLayout.ENTRY_WORDS * (ticket & RingLayout.ENTRIES - 1);
        ring.put(entry + RingLayout.HEADERS, (int) headers);
        ring.put(entry + RingLayout.HEADERS + 1, (int) (headers >>> 32));
        ring.put(entry + RingLayout.VERDICTS, (int) verdicts);
        ring.put(entry + RingLayout.VERDICTS + 1, (int) (verdicts >>> 32));
        ring.put(entry + RingLayout.STRIDE, stride);
        ring.put(entry + RingLayout.COUNT, count);
        VarHandle.releaseFence();
        ring.put(RingLayout.HEAD, ++head);
        VarHandle.fullFence();
        if (!running || ring.get(RingLayout.LEFT) == residency) {
            try {
                start();
            } catch (GpuException e) {
                ring.put(
                        RingLayout.HEAD, --head); // nobody reads it now: the caller keeps the batch
                throw e;
            }
        }
        return ticket;
    }

    /** Starts it, or starts it again where it left. */
    private void start() {
        running = false;
        ring.put(RingLayout.STOP, 0);
        ring.put(RingLayout.RESIDENCY, ++residency);
        VarHandle.releaseFence();
        launch.run(ring.get(RingLayout.LEFT_AT), blocks, stream);
        running = true;
    }

    /**
     * Waits for a batch.
     *
     * @throws GpuException if the kernel failed
     */
    void await(int ticket) {
        int mark = RingLayout.DONE + (ticket & RingLayout.ENTRIES - 1);
        for (int spins = 1; ring.get(mark) - ticket <= 0; spins++) {
            VarHandle.acquireFence();
            Thread.onSpinWait();
            if (spins % SPINS == 0) {
                awake();
            }
        }
        VarHandle.acquireFence();
    }

    /** Sees to it that a kernel runs while batches wait. */
    private synchronized void awake() {
        if ((!running || ended()) && ring.get(RingLayout.LEFT_AT) != head) {
            start();
        }
    }

    /** Whether the kernel has left; throws if it ended in another way. */
    private boolean ended() {
        if (!device.idle(stream)) {
            return false;
        }
        VarHandle.acquireFence();
        if (ring.get(RingLayout.LEFT) != residency) {
            throw new GpuException(0, "a kernel that should stay ended");
        }
        return true;
    }

    /** Asks the kernel to leave, and waits until it has: it ends what was handed over first. */
    synchronized void leave() {
        if (!running) {
            return;
        }
        ring.put(RingLayout.STOP, 1);
        VarHandle.fullFence();
        while (!ended()) {
            Thread.onSpinWait();
        }
        if (ring.get(RingLayout.LEFT_AT) == head) {
            running = false;
        } else {
            start(); // its time was over before it had seen all
            leave();
        }
    }

    /** Whether the kernel may be on the device. */
    synchronized boolean running() {
        return running && ring.get(RingLayout.LEFT) != residency;
    }

    /** Leaves and gives the memory back. */
    void close() {
        leave();
        device.destroyStream(stream);
        device.free(control);
        device.freePinned(memory);
    }
}
