package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
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
import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A device whose memory is the heap and whose kernels are the CPU's look-ups. */
public final class FakeDriver implements GpuDriver {
    /** Puts a driver in the place of this process's. */
    public static void install(GpuDriver driver) {
        GpuPool.shared().driver(() -> driver);
    }

    /** Gives the process its own driver back. */
    public static void uninstall() {
        GpuPool.shared().driver(JCudaGpuDriver::get);
    }

    /** Kernels that were started. */
    public synchronized int started() {
        return launches + residencies;
    }

    /** Devices that are open. */
    public synchronized int devicesOpen() {
        return open;
    }

    /** Contexts, pinned buffers and streams that are open, and blocks of memory. */
    public synchronized int held() {
        return open + pinned + streams + memory.size();
    }

    /**
     * Waits until nothing is held: a base that is compiled when its engine is closed keeps the
     * device until it is done. The test's time limit interrupts it.
     */
    public void awaitNothingHeld() {
        while (held() > 0) {
            assertFalse(Thread.interrupted(), () -> held() + " things are left on the device");
            Thread.onSpinWait();
        }
    }

    private final int count;
    private final TreeMap<Long, int[]> memory = new TreeMap<>();
    private final Map<Integer, Deque<Long>> freed = new TreeMap<>();
    private long next = 4096;
    int open;
    int pinned;
    int streams;
    int uploads;

    /** Kernels that stay, started. */
    int residencies;

    /** Runs of the kernel that looks up what changed. */
    final AtomicInteger overlays = new AtomicInteger();

    /** Launches of kernels that do not stay. */
    int launches;

    /** Is run before words are copied from the heap, by the thread that copies them. */
    volatile Runnable beforeUpload = () -> {};

    /** Milliseconds that the device says a kernel took, by the name of the one that ran last. */
    private volatile ToDoubleFunction<String> millis = kernel -> 1;

    private volatile String ranLast = "";

    /** What the device says that each kernel takes, in milliseconds. */
    public void takes(ToDoubleFunction<String> millisOfKernel) {
        millis = millisOfKernel;
    }

    /** Blocks of pinned memory that the machine has room for. */
    volatile int mostPinned = Integer.MAX_VALUE;

    /** What threads allocate in the calls that a batch makes: a real driver's allocate nothing. */
    private final AllocationMeter meter = new AllocationMeter();

    AllocationMeter meter() {
        return meter;
    }

    /** Whether a kernel that stays keeps all others off the device. */
    private final boolean oneAtATime;

    private final ReentrantLock chip;

    /**
     * A driver.
     *
     * @param count devices that it shows
     */
    public FakeDriver(int count) {
        this(count, new ReentrantLock(), false);
    }

    /**
     * A driver of a process, or of a class loader, whose devices others use, too, each with a
     * context of its own. One kernel runs there at a time, and one that stays keeps all others off.
     *
     * @param chip stands for the devices: who has it runs a kernel there; a fair lock, as devices
     *     take turns
     */
    public FakeDriver(int count, ReentrantLock chip) {
        this(count, chip, true);
    }

    private FakeDriver(int count, ReentrantLock chip, boolean oneAtATime) {
        this.count = count;
        this.chip = chip;
        this.oneAtATime = oneAtATime;
    }

    public synchronized int blocks() {
        return memory.size();
    }

    @Override
    public int devices() {
        return count;
    }

    @Override
    public Info info(int device) {
        return new Info("fake " + device, 90, 1, 1L << 30, 1 << 20, 12_060);
    }

    @Override
    public synchronized Device open(int device) {
        open++;
        return new FakeDevice();
    }

    /** Freed addresses are given out again, as a device does. */
    private synchronized long put(int[] words) {
        Deque<Long> again = freed.get(words.length);
        if (again != null && !again.isEmpty()) {
            long address = again.pop();
            memory.put(address, words);
            return address;
        }
        long address = next;
        memory.put(address, words);
        next += 4L * words.length + 256 & -256;
        return address;
    }

    private synchronized int[] at(long address) {
        int[] words = memory.get(address);
        if (words == null) {
            throw new GpuException(700, "illegal address " + address);
        }
        return words;
    }

    private record FakePinned(IntBuffer words, long deviceAddress) implements Pinned {}

    /** Work is queued until somebody waits, as on a device. */
    private static final class FakeStream implements Stream {
        final Queue<Runnable> work = new ArrayDeque<>();
        volatile @Nullable Thread resident;

        synchronized void run() {
            for (Runnable task = work.poll(); task != null; task = work.poll()) {
                task.run();
            }
        }

        synchronized void runUntil(Recorded event) {
            while (!event.reached) {
                Objects.requireNonNull(work.poll(), "an event that was not recorded").run();
            }
        }

        synchronized void add(Runnable task) {
            work.add(task);
        }
    }

    private static final class FakeEvent implements Event {
        volatile @Nullable Recorded last;
    }

    /** An event's place in a stream; who waits for it does so though it is recorded again. */
    private static final class Recorded {
        final FakeStream stream;
        volatile boolean reached;

        Recorded(FakeStream stream) {
            this.stream = stream;
        }

        void await() {
            if (!reached) {
                stream.runUntil(this);
            }
        }
    }

    private final class FakeDevice implements Device {
        private final List<Thread> residents = new ArrayList<>();
        private boolean gone;

        /** A driver waits in such calls for all kernels of a device, or frees what they read. */
        private void nothingStays() {
            synchronized (FakeDriver.this) {
                residents.removeIf(t -> !t.isAlive());
                if (!residents.isEmpty()) {
                    throw new IllegalStateException("memory changes under a kernel that stays");
                }
            }
        }

        /** A context that is gone must not be touched: a real driver may crash. */
        private void leave() {
            if (gone) {
                throw new IllegalStateException("the context was given up before");
            }
            gone = true;
        }

        @Override
        public long allocate(long bytes) {
            nothingStays();
            return put(new int[(int) (bytes + 3) / 4]);
        }

        @Override
        public void free(long address) {
            nothingStays();
            synchronized (FakeDriver.this) {
                freed.computeIfAbsent(at(address).length, n -> new ArrayDeque<>()).push(address);
                memory.remove(address);
            }
        }

        @Override
        public Pinned allocatePinned(int words) {
            synchronized (FakeDriver.this) {
                if (pinned >= mostPinned) {
                    throw new GpuException(2, "out of memory");
                }
                pinned++;
            }
            int[] array = new int[words];
            return new FakePinned(IntBuffer.wrap(array), put(array));
        }

        @Override
        public void freePinned(Pinned gone) {
            free(gone.deviceAddress());
            synchronized (FakeDriver.this) {
                pinned--;
            }
        }

        @Override
        public void upload(long to, int[] words, int from, int size) {
            beforeUpload.run();
            synchronized (FakeDriver.this) {
                uploads++;
                Map.Entry<Long, int[]> block = memory.floorEntry(to);
                if (block == null) {
                    throw new GpuException(700, "illegal address " + to);
                }
                int at = (int) (to - block.getKey()) / 4;
                System.arraycopy(words, from, block.getValue(), at, size);
            }
        }

        @Override
        public void clear(long address, long words) {
            synchronized (FakeDriver.this) {
                Map.Entry<Long, int[]> block = memory.floorEntry(address);
                if (block == null) {
                    throw new GpuException(700, "illegal address " + address);
                }
                int from = (int) (address - block.getKey()) / 4;
                Arrays.fill(block.getValue(), from, from + (int) words, 0);
            }
        }

        @Override
        public void download(int[] words, int from, int size, long address) {
            System.arraycopy(at(address), 0, words, from, size);
        }

        @Override
        public void copyIn(long to, Pinned from, long bytes, Stream stream) {
            long began = AllocationMeter.all();
            try {
                ((FakeStream) stream).add(() -> from.words().get(0, at(to), 0, (int) bytes / 4));
            } finally {
                meter.end(began);
            }
        }

        @Override
        public void copyOut(Pinned to, long from, long bytes, Stream stream) {
            long began = AllocationMeter.all();
            try {
                ((FakeStream) stream).add(() -> to.words().put(0, at(from), 0, (int) bytes / 4));
            } finally {
                meter.end(began);
            }
        }

        @Override
        public Stream stream() {
            synchronized (FakeDriver.this) {
                streams++;
            }
            return new FakeStream();
        }

        @Override
        public Stream urgentStream() {
            return stream();
        }

        @Override
        public void destroyStream(Stream stream) {
            synchronized (FakeDriver.this) {
                streams--;
            }
        }

        @Override
        public void await(Stream stream) {
            long began = AllocationMeter.all();
            try {
                ((FakeStream) stream).run();
            } finally {
                meter.end(began);
            }
        }

        @Override
        public boolean idle(Stream stream) {
            Thread resident = ((FakeStream) stream).resident;
            return resident == null || !resident.isAlive();
        }

        @Override
        public Event event() {
            return new FakeEvent();
        }

        @Override
        public void destroyEvent(Event event) {}

        @Override
        public void record(Event event, Stream stream) {
            long began = AllocationMeter.all();
            try {
                Recorded recorded = new Recorded((FakeStream) stream);
                recorded.stream.add(() -> recorded.reached = true);
                ((FakeEvent) event).last = recorded;
            } finally {
                meter.end(began);
            }
        }

        @Override
        public void await(Event event) {
            long began = AllocationMeter.all();
            try {
                Recorded recorded = ((FakeEvent) event).last;
                if (recorded != null) { // else there is nothing to wait for
                    recorded.await();
                }
            } finally {
                meter.end(began);
            }
        }

        @Override
        public void follow(Stream stream, Event event) {
            long began = AllocationMeter.all();
            try {
                Recorded recorded = ((FakeEvent) event).last;
                if (recorded != null) {
                    ((FakeStream) stream).add(recorded::await);
                }
            } finally {
                meter.end(began);
            }
        }

        @Override
        public Launch prepare(Call call) {
            Launch launch =
                    launch(
                            call.kernel(),
                            call.image(),
                            call.headers(),
                            call.verdicts(),
                            call.parameters());
            return (stride, size, stream) -> {
                long began = AllocationMeter.all();
                try {
                    launch.run(stride, size, stream);
                } finally {
                    meter.end(began);
                }
            };
        }

        private Launch launch(
                String kernel, long image, long headers, long verdicts, int[] parameters) {
            if (kernel.equals(DeviceChanges.WRITE)) {
                return (stride, size, stream) ->
                        ((FakeStream) stream)
                                .add(() -> write(at(image), at(headers), at(verdicts), size));
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
            Classifier classifier = Algorithm.openImage(Image.open(at(image).clone()));
            if (kernel.startsWith(KernelCatalog.RESIDENT)) {
                int[] ring = at(headers);
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
            int[] found = Arrays.copyOf(at(verdicts), size);
            OverlayOnHeap.run(
                    at(all),
                    at(address(parameters, ChangesLayout.INSERTED)),
                    at(address(parameters, ChangesLayout.REMOVED)),
                    parameters,
                    batch(layout, at(headers), stride, size),
                    found);
            System.arraycopy(found, 0, at(address(parameters, ChangesLayout.VERDICTS)), 0, size);
            overlays.incrementAndGet();
        }

        private HeaderBatch batch(HeaderLayout layout, int[] h, int stride, int size) {
            HeaderBatch batch = new HeaderBatch(layout, size);
            for (int p = 0; p < layout.size(); p++) {
                System.arraycopy(h, p * stride, batch.words(), p * size, size);
            }
            batch.size(size);
            return batch;
        }

        private void alone(
                Classifier classifier, long headers, long verdicts, int stride, int size) {
            if (oneAtATime) {
                chip.lock();
            }
            try {
                synchronized (FakeDriver.this) {
                    launches++;
                }
                run(classifier, at(headers), at(verdicts), stride, size);
            } finally {
                if (oneAtATime) {
                    chip.unlock();
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
                                chip.lock();
                                try {
                                    kernel.run();
                                } finally {
                                    chip.unlock();
                                }
                            });
            resident.setDaemon(true);
            synchronized (FakeDriver.this) {
                residencies++;
                residents.add(resident);
            }
            stream.resident = resident;
            resident.start();
        }

        /** What resident.cuh does. */
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
                        int[] in = at(address(ring, e + RingLayout.HEADERS));
                        int[] out = at(address(ring, e + RingLayout.VERDICTS));
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

        @Override
        public long sectors(Call call, int stride, int count) {
            return count; // the heap has no sectors: one a header
        }

        @Override
        public float time(Runnable ahead, Runnable timed, Stream stream) {
            ahead.run();
            timed.run();
            await(stream);
            return (float) millis.applyAsDouble(ranLast);
        }

        @Override
        public void close() {
            leave();
            synchronized (FakeDriver.this) {
                open--;
            }
        }

        @Override
        public void abandon() {
            leave();
            synchronized (FakeDriver.this) {
                residents.clear(); // a context that goes takes its kernels with it
                open--;
                memory.clear();
                freed.clear();
                pinned = 0;
                streams = 0;
            }
        }
    }
}
