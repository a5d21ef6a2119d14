package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import java.lang.invoke.VarHandle;
import java.nio.IntBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A kernel that stays on a device and takes batches from a ring in pinned memory: the host's side
 * of {@code resident.cuh}; {@link RingLayout} describes the ring. The first batch starts it. It
 * leaves the device by itself when no batch came for a while, and also when it has been there for a
 * certain time, so that others get the device; if batches wait in the ring then, the host starts it
 * again.
 *
 * <p>Thread-safe: everything but waiting happens under the gate that the device's {@link Residents}
 * share. Order of memory: an entry is written before the ring's head, with a release fence between;
 * the device writes verdicts before the entry's mark, with a system-wide fence between, and readers
 * of the mark put an acquire fence behind it.
 */
final class ResidentKernel {
    /** Spins between two questions to the driver whether the kernel still runs. */
    private static final int SPINS = 4096;

    private final ReentrantLock gate;
    private final GpuDriver.Device device;
    private final GpuDriver.Pinned memory;
    private final IntBuffer ring;
    private final long control;
    private final GpuDriver.Stream stream;
    private final GpuDriver.Launch launch;
    private final int blocks;

    /** Batches that were put in the ring, modulo 2^32; guarded by the gate, as all below. */
    private int head;

    private int residency;
    private boolean running;

    /**
     * A kernel that is not started yet.
     *
     * @param gate what all kernels that stay on the device share; the caller holds it
     * @param call the kernel that stays and its image: one block watches the ring
     * @param idleMicros µs without a batch after which it leaves
     * @param stayMicros µs after which it leaves though batches come
     */
    ResidentKernel(
            ReentrantLock gate,
            GpuDriver.Device device,
            GpuDriver.Call call,
            int blocks,
            int idleMicros,
            int stayMicros) {
        this.gate = gate;
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
        this.launch = device.prepare(call.on(memory.deviceAddress(), control));
    }

    /**
     * Puts a batch in the ring.
     *
     * @param headers address of its words for the device
     * @param verdicts address of its verdicts for the device
     * @return its ticket
     * @throws GpuException if the kernel has to be started and does not: the ring is as before
     */
    int submit(long headers, long verdicts, int stride, int count) {
        gate.lock();
        try {
            int ticket = head;
            int entry =
                    RingLayout.ENTRY + RingLayout.ENTRY_WORDS * (ticket & RingLayout.ENTRIES - 1);
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
                            RingLayout.HEAD,
                            --head); // nobody reads it now: the caller keeps the batch
                    throw e;
                }
            }
            return ticket;
        } finally {
            gate.unlock();
        }
    }

    /** Starts it, or starts it again where it left. The caller holds the gate. */
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
    private void awake() {
        gate.lock();
        try {
            if ((!running || ended()) && ring.get(RingLayout.LEFT_AT) != head) {
                start();
            }
        } finally {
            gate.unlock();
        }
    }

    /** Returns whether the kernel has left; throws if it failed instead. */
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

    /**
     * Asks the kernel to leave, and waits until it has: it ends the batches in the ring first. The
     * caller holds the gate.
     */
    void leave() {
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

    /** Returns whether the kernel may be on the device. The caller holds the gate. */
    boolean running() {
        return running && ring.get(RingLayout.LEFT) != residency;
    }

    /** How often it came to the device. The caller holds the gate. */
    int residencies() {
        return residency;
    }

    /** Leaves and gives the memory back. The caller holds the gate. */
    void close() {
        leave();
        device.destroyStream(stream);
        device.free(control);
        device.freePinned(memory);
    }
}
