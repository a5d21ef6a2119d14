package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import java.nio.IntBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToDoubleFunction;

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
    private final FakeMemory memory = new FakeMemory();
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
    final boolean oneAtATime;

    /** Held by who runs a kernel. */
    final ReentrantLock chip;

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

    private record FakePinned(IntBuffer words, long deviceAddress) implements Pinned {}

    private final class FakeDevice implements Device {
        private final FakeKernels kernels = new FakeKernels(FakeDriver.this, memory);
        private boolean gone;

        /** A driver waits in such calls for all kernels of a device, or frees what they read. */
        private void nothingStays() {
            if (kernels.stay()) {
                throw new IllegalStateException("memory changes under a kernel that stays");
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
            return memory.put(new int[(int) (bytes + 3) / 4]);
        }

        @Override
        public void free(long address) {
            nothingStays();
            memory.free(address);
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
            return new FakePinned(IntBuffer.wrap(array), memory.put(array));
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
            }
            memory.write(to, words, from, size);
        }

        @Override
        public void clear(long address, long words) {
            memory.clear(address, words);
        }

        @Override
        public void download(int[] words, int from, int size, long address) {
            System.arraycopy(memory.at(address), 0, words, from, size);
        }

        @Override
        public void copyIn(long to, Pinned from, long bytes, Stream stream) {
            long began = AllocationMeter.all();
            try {
                ((FakeStream) stream)
                        .add(() -> from.words().get(0, memory.at(to), 0, (int) bytes / 4));
            } finally {
                meter.end(began);
            }
        }

        @Override
        public void copyOut(Pinned to, long from, long bytes, Stream stream) {
            long began = AllocationMeter.all();
            try {
                ((FakeStream) stream)
                        .add(() -> to.words().put(0, memory.at(from), 0, (int) bytes / 4));
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
            return new FakeStream.FakeEvent();
        }

        @Override
        public void destroyEvent(Event event) {}

        @Override
        public void record(Event event, Stream stream) {
            long began = AllocationMeter.all();
            try {
                FakeStream.Recorded recorded = new FakeStream.Recorded((FakeStream) stream);
                recorded.stream.add(() -> recorded.reached = true);
                ((FakeStream.FakeEvent) event).last = recorded;
            } finally {
                meter.end(began);
            }
        }

        @Override
        public void await(Event event) {
            long began = AllocationMeter.all();
            try {
                FakeStream.Recorded recorded = ((FakeStream.FakeEvent) event).last;
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
                FakeStream.Recorded recorded = ((FakeStream.FakeEvent) event).last;
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
                    kernels.launch(
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

        @Override
        public long sectors(Call call, int stride, int count) {
            return count; // the heap has no sectors: one a header
        }

        @Override
        public float time(Runnable ahead, Runnable timed, Stream stream) {
            ahead.run();
            timed.run();
            await(stream);
            return (float) millis.applyAsDouble(kernels.ranLast());
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
                kernels.forget();
                open--;
                memory.forget();
                pinned = 0;
                streams = 0;
            }
        }
    }
}
