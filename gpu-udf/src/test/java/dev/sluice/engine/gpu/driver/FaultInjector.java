package dev.sluice.engine.gpu.driver;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A driver that fails when it is told to: for tests, with a real device behind it or without.
 * Thread-safe.
 */
public final class FaultInjector implements GpuDriver {
    /** Point that fails. */
    public enum Point {
        /** Opening a device. */
        OPEN,
        /** Taking device memory. */
        ALLOCATE,
        /** Queueing a copy to the device. */
        COPY,
        /** Queueing a kernel. */
        LAUNCH,
        /** Waiting for, or asking about, what was queued. */
        AWAIT
    }

    private final GpuDriver driver;
    private final AtomicInteger[] left = new AtomicInteger[Point.values().length];
    private final AtomicInteger[] failed = new AtomicInteger[Point.values().length];
    private volatile int code;

    /** A driver that passes everything on. */
    public FaultInjector(GpuDriver driver) {
        this.driver = driver;
        for (int p = 0; p < left.length; p++) {
            left[p] = new AtomicInteger();
            failed[p] = new AtomicInteger();
        }
    }

    /**
     * Lets the next calls fail.
     *
     * @param calls how many
     * @param resultCode the driver's code: 2 out of memory, 214 ECC, 700 illegal address, 719
     *     launch failure
     */
    public void fail(Point point, int calls, int resultCode) {
        code = resultCode;
        left[point.ordinal()].set(calls);
    }

    /** Calls at a point that have failed since this driver was made. */
    public int failed(Point point) {
        return failed[point.ordinal()].get();
    }

    private void pass(Point point) {
        AtomicInteger calls = left[point.ordinal()];
        if (calls.get() > 0 && calls.getAndDecrement() > 0) {
            failed[point.ordinal()].incrementAndGet();
            throw new GpuException(code, "injected fault " + code + " at " + point);
        }
    }

    @Override
    public int devices() {
        return driver.devices();
    }

    @Override
    public Info info(int device) {
        return driver.info(device);
    }

    @Override
    public Device open(int device) {
        pass(Point.OPEN);
        return new Faulty(driver.open(device));
    }

    private final class Faulty implements Device {
        private final Device device;

        Faulty(Device device) {
            this.device = device;
        }

        @Override
        public long allocate(long bytes) {
            pass(Point.ALLOCATE);
            return device.allocate(bytes);
        }

        @Override
        public void free(long address) {
            device.free(address);
        }

        @Override
        public Pinned allocatePinned(int words) {
            return device.allocatePinned(words);
        }

        @Override
        public void freePinned(Pinned memory) {
            device.freePinned(memory);
        }

        @Override
        public void upload(long to, int[] words, int from, int count) {
            device.upload(to, words, from, count);
        }

        @Override
        public void clear(long address, long words) {
            device.clear(address, words);
        }

        @Override
        public void download(int[] words, int from, int count, long address) {
            device.download(words, from, count, address);
        }

        @Override
        public void copyIn(long to, Pinned from, long bytes, Stream stream) {
            pass(Point.COPY);
            device.copyIn(to, from, bytes, stream);
        }

        @Override
        public void copyOut(Pinned to, long from, long bytes, Stream stream) {
            device.copyOut(to, from, bytes, stream);
        }

        @Override
        public Stream stream() {
            return device.stream();
        }

        @Override
        public Stream urgentStream() {
            return device.urgentStream();
        }

        @Override
        public void destroyStream(Stream stream) {
            device.destroyStream(stream);
        }

        @Override
        public void await(Stream stream) {
            pass(Point.AWAIT);
            device.await(stream);
        }

        @Override
        public boolean idle(Stream stream) {
            pass(Point.AWAIT);
            return device.idle(stream);
        }

        @Override
        public Event event() {
            return device.event();
        }

        @Override
        public void destroyEvent(Event event) {
            device.destroyEvent(event);
        }

        @Override
        public void record(Event event, Stream stream) {
            device.record(event, stream);
        }

        @Override
        public void await(Event event) {
            pass(Point.AWAIT);
            device.await(event);
        }

        @Override
        public void follow(Stream stream, Event event) {
            pass(Point.AWAIT);
            device.follow(stream, event);
        }

        @Override
        public Launch prepare(Call call) {
            Launch launch = device.prepare(call);
            return (stride, count, stream) -> {
                pass(Point.LAUNCH);
                launch.run(stride, count, stream);
            };
        }

        @Override
        public long sectors(Call call, int stride, int count) {
            return device.sectors(call, stride, count);
        }

        @Override
        public float time(Runnable ahead, Runnable timed, Stream stream) {
            return device.time(ahead, timed, stream);
        }

        @Override
        public void close() {
            device.close();
        }

        @Override
        public void abandon() {
            device.abandon();
        }
    }
}
