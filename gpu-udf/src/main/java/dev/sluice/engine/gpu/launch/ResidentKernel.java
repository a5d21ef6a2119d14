package dev.sluice.engine.gpu.launch;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.driver.LaunchShape;
import java.lang.invoke.VarHandle;
import java.nio.IntBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A kernel that stays on a device and takes batches from a ring in pinned memory: the host's side
 * of {@code resident.cuh}. The first batch starts it. It leaves the device by itself when no batch
 * came for a while, and also when it has been there for a certain time, so that others get the
 * device; if batches wait in the ring then, the host starts it again.
 *
 * <p>The ring, in words: what the host writes, what the device writes, a mark for each entry that
 * the device sets to the entry's ticket + 1 when its verdicts are there, and the entries.
 *
 * <pre>
 *   0  head: entries written          32  residency that has left
 *   1  stop: leave now                33  entries that had been taken when it left
 *   2  µs without a batch             64  marks, one an entry
 *   3  µs at all                     128  entries of 8 words: addresses of headers and of
 *   4  residency: starts so far           verdicts (low and high word each), stride, count
 * </pre>
 *
 * <p>Thread-safe: everything but waiting happens under the gate that the device's {@link Residents}
 * share. Order of memory: an entry is written before the ring's head, with a release fence between;
 * the device writes verdicts before the entry's mark, with a system-wide fence between, and readers
 * of the mark put an acquire fence behind it.
 */
public final class ResidentKernel {
    /** Entries of the ring: more than there are staging buffers, so that none is overwritten. */
    public static final int ENTRIES = 64;

    /** Words of an entry. */
    public static final int ENTRY_WORDS = 8;

    // Places of the ring.

    /** Number of entries written, modulo 2^32. */
    public static final int HEAD = 0;

    /** Not 0: the kernel is to leave. */
    public static final int STOP = 1;

    /** µs without a batch after which the kernel leaves. */
    public static final int IDLE_MICROS = 2;

    /** µs after which the kernel leaves though batches come. */
    public static final int STAY_MICROS = 3;

    /** How often the kernel was started. */
    public static final int RESIDENCY = 4;

    /** The kernel writes its residency here when it leaves. */
    public static final int LEFT = 32;

    /** How many entries had been taken when it left. */
    public static final int LEFT_AT = 33;

    /** First mark. */
    public static final int DONE = 64;

    /** First entry. */
    public static final int ENTRY = DONE + ENTRIES;

    private static final int WORDS = ENTRY + ENTRIES * ENTRY_WORDS;

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
     * @param kernel name of the kernel that stays
     * @param shape its launch: one block watches the ring
     * @param idleMicros µs without a batch after which it leaves
     * @param stayMicros µs after which it leaves though batches come
     */
    ResidentKernel(
            ReentrantLock gate,
            GpuDriver.Device device,
            String kernel,
            LaunchShape shape,
            long image,
            int[] parameters,
            int blocks,
            int idleMicros,
            int stayMicros) {
        this.gate = gate;
        this.device = device;
        this.blocks = blocks;
        this.memory = device.allocatePinned(WORDS);
        this.ring = memory.words();
        for (int w = 0; w < WORDS; w++) {
            ring.put(w, 0);
        }
        ring.put(IDLE_MICROS, idleMicros);
        ring.put(STAY_MICROS, stayMicros);
        this.control = device.allocate(4L * WORDS);
        device.upload(control, new int[WORDS], 0, WORDS);
        this.stream = device.stream();
        this.launch =
                device.prepare(kernel, shape, image, memory.deviceAddress(), control, parameters);
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
            int entry = ENTRY + ENTRY_WORDS * (ticket & ENTRIES - 1);
            ring.put(entry, (int) headers);
            ring.put(entry + 1, (int) (headers >>> 32));
            ring.put(entry + 2, (int) verdicts);
            ring.put(entry + 3, (int) (verdicts >>> 32));
            ring.put(entry + 4, stride);
            ring.put(entry + 5, count);
            VarHandle.releaseFence();
            ring.put(HEAD, ++head);
            VarHandle.fullFence();
            if (!running || ring.get(LEFT) == residency) {
                try {
                    start();
                } catch (GpuException e) {
                    ring.put(HEAD, --head); // nobody reads it now: the caller keeps the batch
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
        ring.put(STOP, 0);
        ring.put(RESIDENCY, ++residency);
        VarHandle.releaseFence();
        launch.run(ring.get(LEFT_AT), blocks, stream);
        running = true;
    }

    /**
     * Waits for a batch.
     *
     * @throws GpuException if the kernel failed
     */
    void await(int ticket) {
        int mark = DONE + (ticket & ENTRIES - 1);
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
            if ((!running || ended()) && ring.get(LEFT_AT) != head) {
                start();
            }
        } finally {
            gate.unlock();
        }
    }

    /** Whether the kernel has left; throws if it ended in another way. */
    private boolean ended() {
        if (!device.idle(stream)) {
            return false;
        }
        VarHandle.acquireFence();
        if (ring.get(LEFT) != residency) {
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
        ring.put(STOP, 1);
        VarHandle.fullFence();
        while (!ended()) {
            Thread.onSpinWait();
        }
        if (ring.get(LEFT_AT) == head) {
            running = false;
        } else {
            start(); // its time was over before it had seen all
            leave();
        }
    }

    /** Whether the kernel may be on the device. The caller holds the gate. */
    boolean running() {
        return running && ring.get(LEFT) != residency;
    }

    /** Leaves and gives the memory back. The caller holds the gate. */
    void close() {
        leave();
        device.destroyStream(stream);
        device.free(control);
        device.freePinned(memory);
    }
}
