package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.ChangesLayout;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.RingLayout;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Kernels of an open device: the CPU's look-ups over its memory, and threads for those that stay.
 */
final class FakeKernels {
    private final FakeDriver driver;
    private final FakeMemory memory;
    private final List<Thread> residents = new ArrayList<>();
    private volatile String ranLast = "";

    /**
     * Kernels.
     *
     * @param driver counts what is started
     */
    FakeKernels(FakeDriver driver, FakeMemory memory) {
        this.driver = driver;
        this.memory = memory;
    }

    /** Name of the kernel that ran last. */
    String ranLast() {
        return ranLast;
    }

    /** Whether a kernel that stays is on the device. */
    synchronized boolean stay() {
        residents.removeIf(t -> !t.isAlive());
        return !residents.isEmpty();
    }

    /** Forgets the kernels that stay, as a context that goes takes them with it. */
    synchronized void forget() {
        residents.clear();
    }

    /** A kernel over a device's addresses, to be started in a stream. */
    GpuDriver.Launch launch(
            String kernel, long image, long headers, long verdicts, int[] parameters) {
        if (kernel.equals(DeviceChanges.WRITE)) {
            return (stride, size, stream) ->
                    ((FakeStream) stream)
                            .add(
                                    () ->
                                            write(
                                                    memory.at(image),
                                                    memory.at(headers),
                                                    memory.at(verdicts),
                                                    size));
        }
        if (kernel.equals(KernelCatalog.OVERLAY)) {
            return (stride, size, stream) -> {
                int[] now = parameters.clone();
                ((FakeStream) stream)
                        .add(() -> overlay(image, headers, verdicts, now, stride, size));
            };
        }
        if (kernel.equals(KernelCatalog.GATHER) || kernel.equals(KernelCatalog.TRIVIAL)) {
            return (stride, size, stream) -> ((FakeStream) stream).add(() -> ranLast = kernel);
        }
        Classifier classifier = Algorithm.openImage(Image.open(memory.at(image).clone()));
        if (kernel.startsWith(KernelCatalog.RESIDENT)) {
            int[] ring = memory.at(headers);
            return (start, blocks, stream) ->
                    reside((FakeStream) stream, () -> watch(classifier, ring, start));
        }
        return (stride, size, stream) ->
                ((FakeStream) stream)
                        .add(
                                () -> {
                                    ranLast = kernel;
                                    alone(classifier, headers, verdicts, stride, size);
                                });
    }

    private void write(int[] inserted, int[] pairs, int[] removed, int size) {
        for (int i = size - 1; i >= 0; i--) { // in no order that anybody may count on
            int place = pairs[2 * i];
            (place < 0 ? removed : inserted)[place & Integer.MAX_VALUE] = pairs[2 * i + 1];
        }
    }

    private void overlay(
            long all, long headers, long verdicts, int[] parameters, int stride, int size) {
        HeaderLayout layout =
                HeaderLayout.ofWordBits((1L << parameters[ChangesLayout.HEADER_WORDS]) - 1);
        int[] found = Arrays.copyOf(memory.at(verdicts), size);
        OverlayOnHeap.run(
                memory.at(all),
                memory.at(address(parameters, ChangesLayout.INSERTED)),
                memory.at(address(parameters, ChangesLayout.REMOVED)),
                parameters,
                batch(layout, memory.at(headers), stride, size),
                found);
        System.arraycopy(found, 0, memory.at(address(parameters, ChangesLayout.VERDICTS)), 0, size);
        driver.overlays.incrementAndGet();
    }

    private HeaderBatch batch(HeaderLayout layout, int[] h, int stride, int size) {
        HeaderBatch batch = new HeaderBatch(layout, size);
        for (int p = 0; p < layout.size(); p++) {
            System.arraycopy(h, p * stride, batch.words(), p * size, size);
        }
        batch.size(size);
        return batch;
    }

    private void alone(Classifier classifier, long headers, long verdicts, int stride, int size) {
        if (driver.oneAtATime) {
            driver.chip.lock();
        }
        try {
            synchronized (driver) {
                driver.launches++;
            }
            run(classifier, memory.at(headers), memory.at(verdicts), stride, size);
        } finally {
            if (driver.oneAtATime) {
                driver.chip.unlock();
            }
        }
    }

    private void reside(FakeStream stream, Runnable kernel) {
        Thread before = stream.resident;
        Thread resident =
                new Thread(
                        () -> {
                            try {
                                if (before != null) {
                                    before.join(); // a stream's kernels run in order
                                }
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            driver.chip.lock();
                            try {
                                kernel.run();
                            } finally {
                                driver.chip.unlock();
                            }
                        });
        resident.setDaemon(true);
        synchronized (driver) {
            driver.residencies++;
        }
        synchronized (this) {
            residents.add(resident);
        }
        stream.resident = resident;
        resident.start();
    }

    /** Serves a ring as resident.cuh does. */
    private void watch(Classifier classifier, int[] ring, int start) {
        int told = start;
        long came = System.nanoTime();
        long idle = came;
        for (; ; Thread.yield()) {
            VarHandle.acquireFence();
            int stop = ring[RingLayout.STOP];
            int head = ring[RingLayout.HEAD];
            VarHandle.acquireFence();
            long now = System.nanoTime();
            if (head != told && now - came < 1000L * ring[RingLayout.STAY_MICROS]) {
                for (; told != head; told++) {
                    int slot = told & RingLayout.ENTRIES - 1;
                    int e = RingLayout.ENTRY + RingLayout.ENTRY_WORDS * slot;
                    int[] in = memory.at(address(ring, e + RingLayout.HEADERS));
                    int[] out = memory.at(address(ring, e + RingLayout.VERDICTS));
                    int stride = ring[e + RingLayout.STRIDE];
                    run(classifier, in, out, stride, ring[e + RingLayout.COUNT]);
                    VarHandle.releaseFence();
                    ring[RingLayout.DONE + slot] = told + 1;
                }
                idle = System.nanoTime();
            } else if (stop != 0
                    || now - idle > 1000L * ring[RingLayout.IDLE_MICROS]
                    || now - came >= 1000L * ring[RingLayout.STAY_MICROS]) {
                break;
            }
        }
        ring[RingLayout.LEFT_AT] = told;
        VarHandle.releaseFence();
        ring[RingLayout.LEFT] = ring[RingLayout.RESIDENCY];
    }

    private static long address(int[] ring, int at) {
        return (long) ring[at + 1] << 32 | ring[at] & 0xffffffffL;
    }

    private void run(Classifier classifier, int[] h, int[] out, int stride, int size) {
        HeaderBatch batch = batch(classifier.layout(), h, stride, size);
        VerdictBatch verdicts = new VerdictBatch(size);
        classifier.classify(batch, verdicts);
        System.arraycopy(verdicts.rules(), 0, out, 0, size);
    }
}
