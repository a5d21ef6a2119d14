package dev.sluice.engine.gpu;

import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;

import dev.sluice.engine.lookup.LaunchShape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The CUDA driver API through JCuda. Thread-safe. */
public final class JCudaGpuDriver implements GpuDriver {
    private static final Logger LOG = LoggerFactory.getLogger(JCudaGpuDriver.class);
    private static final String KERNELS = "kernels.ptx";
    private static final String COUNTING_KERNELS = "counted.ptx";
    private static final String SECTORS = "sluice_sectors";
    private static final int PORTABLE_AND_MAPPED =
            JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP;
    private static final int NON_BLOCKING = 1;
    private static final int WITHOUT_TIME = 2;

    /** What copies that name no stream are queued on. */
    private static final CUstream DEFAULT_STREAM = new CUstream();

    private static final LaunchShape PLAIN = new LaunchShape(256, 256, 1, 0, false);

    /** Oldest chip that the kernels run on. */
    private static final int OLDEST_ARCHITECTURE = 75;

    private static @Nullable JCudaGpuDriver instance;
    private static @Nullable String missing;
    private static int missingCode;

    private JCudaGpuDriver() {}

    /**
     * The process's driver.
     *
     * @throws GpuException if the machine has none, saying why
     */
    public static synchronized JCudaGpuDriver get() {
        if (missing != null) {
            throw new GpuException(missingCode, missing);
        }
        if (instance == null) {
            try {
                loadNatives();
                check(JCudaDriver.cuInit(0), "initialize the driver");
            } catch (GpuException e) {
                // A library that did not load once does not load later.
                missing = String.valueOf(e.getMessage());
                missingCode = e.code();
                throw e;
            }
            instance = new JCudaGpuDriver();
        }
        return instance;
    }

    /**
     * JCuda unpacks its library to a fixed name in java.io.tmpdir. The JVM lets one class loader
     * load a library by its path, so a second job in the same process needs a path of its own: the
     * property is set for as long as JCuda's class is initialized.
     */
    private static void loadNatives() {
        Path own = null;
        synchronized (System.getProperties()) {
            String before = System.getProperty("java.io.tmpdir");
            try {
                own = Files.createTempDirectory("sluice-jcuda");
                System.setProperty("java.io.tmpdir", own.toString());
                JCudaDriver.setExceptionsEnabled(false);
            } catch (IOException e) {
                throw new GpuException(
                        0, "cannot unpack JCuda's library to " + before + ": " + e.getMessage());
            } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError e) {
                throw new GpuException(
                        0,
                        "no CUDA driver: JCuda's library does not load ("
                                + firstLine(e)
                                + "); install NVIDIA's driver, 470 or later, or use --gpu off");
            } finally {
                System.setProperty("java.io.tmpdir", before);
                delete(own);
            }
        }
    }

    private static String firstLine(Throwable e) {
        String message = String.valueOf(e.getMessage());
        int missing = message.indexOf("libcuda");
        if (missing >= 0) {
            message = message.substring(missing);
        }
        return message.lines().findFirst().orElse(e.getClass().getSimpleName());
    }

    /** A loaded library stays when its file goes. */
    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try (java.util.stream.Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            LOG.debug("{} stays behind", folder, e);
        }
    }

    private static void check(int code, String what) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(
                    code, "cannot " + what + ": " + CUresult.stringFor(code) + remedy(code));
        }
    }

    private static String remedy(int code) {
        return switch (code) {
            case CUresult.CUDA_ERROR_NO_DEVICE -> " (the machine shows no NVIDIA GPU)";
            case CUresult.CUDA_ERROR_OUT_OF_MEMORY ->
                    " (the device's memory is full: fewer or smaller rule sets, or --gpu off)";
            case CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                    CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
                    CUresult.CUDA_ERROR_INVALID_PTX ->
                    " (the driver is too old for the kernels: 470 or later is needed)";
            case CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ->
                    " (the driver's library and its kernel module differ: reboot after an update)";
            default -> "";
        };
    }

    @Override
    public int devices() {
        int[] count = new int[1];
        check(JCudaDriver.cuDeviceGetCount(count), "count devices");
        return count[0];
    }

    private static CUdevice handle(int device) {
        CUdevice handle = new CUdevice();
        check(JCudaDriver.cuDeviceGet(handle, device), "find device " + device);
        return handle;
    }

    private static int attribute(CUdevice device, int attribute) {
        int[] value = new int[1];
        check(JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "ask a device");
        return value[0];
    }

    @Override
    public Info info(int device) {
        CUdevice handle = handle(device);
        byte[] name = new byte[256];
        check(JCudaDriver.cuDeviceGetName(name, name.length, handle), "ask a device's name");
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        long[] bytes = new long[1];
        check(JCudaDriver.cuDeviceTotalMem(bytes, handle), "ask a device's memory");
        int[] version = new int[1];
        check(JCudaDriver.cuDriverGetVersion(version), "ask the driver's version");
        return new Info(
                new String(name, 0, length, StandardCharsets.UTF_8),
                10 * attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
                        + attribute(handle, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                attribute(handle, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                bytes[0],
                attribute(handle, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
                version[0]);
    }

    @Override
    public Device open(int device) {
        Info info = info(device);
        if (info.architecture() < OLDEST_ARCHITECTURE) {
            throw new GpuException(
                    0,
                    info.name()
                            + " has compute capability "
                            + info.architecture() / 10.0
                            + ", the kernels need 7.5 (Turing) or later; use --gpu off");
        }
        return new OpenDevice(handle(device));
    }

    private static byte[] kernels(String resource) {
        try (InputStream in = JCudaGpuDriver.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new GpuException(0, resource + " is missing beside the classes");
            }
            byte[] text = in.readAllBytes();
            return Arrays.copyOf(text, text.length + 1); // the driver reads to the first 0
        } catch (IOException e) {
            throw new GpuException(0, "cannot read " + resource + ": " + e.getMessage());
        }
    }

    private static CUdeviceptr at(long address) {
        return new CUdeviceptr().withByteOffset(address);
    }

    /** A device pointer that tells its address. */
    private static final class DevicePointer extends CUdeviceptr {
        long address() {
            return getNativePointer() + getByteOffset();
        }
    }

    /** A pointer to host memory that tells its address. */
    private static final class HostPointer extends Pointer {
        long address() {
            return getNativePointer() + getByteOffset();
        }
    }

    /**
     * Where a launch finds its arguments: host memory outside the heap, so that JCuda hands over
     * one address, where it would take Java arrays apart one by one (half of what a launch costs).
     * The driver copies them during the call. Guarded by itself; memory goes with the context.
     *
     * <pre>
     * byte 0    addresses of image, headers, verdicts, stride, count, plan
     *      48   addresses of verdicts, count, for the kernel that inverts maxima
     *      64   image, headers, verdicts (8 bytes each)
     *      88   stride, count, plan (4 bytes a word)
     * </pre>
     */
    private static final class Arguments {
        private static final int BYTES = 8192;
        private static final int INVERT_AT = 48;
        private static final int IMAGE_AT = 64;
        private static final int HEADERS_AT = IMAGE_AT + Long.BYTES;
        private static final int VERDICTS_AT = HEADERS_AT + Long.BYTES;
        private static final int STRIDE_AT = VERDICTS_AT + Long.BYTES;
        private static final int COUNT_AT = STRIDE_AT + Integer.BYTES;
        private static final int PLAN_AT = COUNT_AT + Integer.BYTES;

        final HostPointer all = new HostPointer();
        final Pointer invert;
        private final ByteBuffer bytes;
        private final IntBuffer words;
        private boolean open = true;

        /** Allocates in the current context. */
        Arguments() {
            check(
                    JCudaDriver.cuMemHostAlloc(all, BYTES, PORTABLE_AND_MAPPED),
                    "allocate memory for arguments");
            bytes = all.getByteBuffer(0, BYTES).order(ByteOrder.nativeOrder());
            words = bytes.asIntBuffer();
            invert = all.withByteOffset(INVERT_AT);
            int[] places = {IMAGE_AT, HEADERS_AT, VERDICTS_AT, STRIDE_AT, COUNT_AT, PLAN_AT};
            for (int a = 0; a < places.length; a++) {
                bytes.putLong(a * Long.BYTES, all.address() + places[a]);
            }
            bytes.putLong(INVERT_AT, all.address() + VERDICTS_AT);
            bytes.putLong(INVERT_AT + Long.BYTES, all.address() + COUNT_AT);
        }

        void set(long image, long headers, long verdicts, int stride, int count, int[] plan) {
            if (!open) {
                throw new GpuException(CUresult.CUDA_ERROR_DEINITIALIZED, "the device is closed");
            }
            bytes.putLong(IMAGE_AT, image);
            bytes.putLong(HEADERS_AT, headers);
            bytes.putLong(VERDICTS_AT, verdicts);
            bytes.putInt(STRIDE_AT, stride);
            bytes.putInt(COUNT_AT, count);
            words.put(PLAN_AT / Integer.BYTES, plan);
        }

        /** No launch writes here from now on. */
        synchronized void close() {
            open = false;
        }
    }

    private record HostMemory(IntBuffer words, long deviceAddress, Pointer pointer)
            implements Pinned {}

    private record OpenStream(CUstream handle) implements Stream {}

    private record OpenEvent(CUevent handle) implements Event {}

    private static CUevent handle(Event event) {
        return ((OpenEvent) event).handle;
    }

    private static CUstream handle(Stream stream) {
        return ((OpenStream) stream).handle;
    }

    private static Pointer pointer(Pinned memory) {
        return ((HostMemory) memory).pointer;
    }

    private static final class OpenDevice implements Device {
        private final CUcontext context = new CUcontext();
        private final CUmodule module = new CUmodule();
        private final Arguments arguments;

        OpenDevice(CUdevice device) {
            // A context of our own: destroying it after a failure takes nobody else's memory away.
            check(JCudaDriver.cuCtxCreate(context, 0, device), "open a device");
            try {
                enter();
                check(JCudaDriver.cuModuleLoadData(module, kernels(KERNELS)), "load the kernels");
                arguments = new Arguments();
            } catch (GpuException e) {
                check(JCudaDriver.cuCtxDestroy(context), "close a device");
                throw e;
            }
        }

        private void enter() {
            check(JCudaDriver.cuCtxSetCurrent(context), "enter a device's context");
        }

        @Override
        public long allocate(long bytes) {
            enter();
            DevicePointer memory = new DevicePointer();
            check(JCudaDriver.cuMemAlloc(memory, bytes), "allocate " + bytes + " bytes");
            return memory.address();
        }

        @Override
        public void free(long address) {
            enter();
            check(JCudaDriver.cuMemFree(at(address)), "free device memory");
        }

        @Override
        public Pinned allocatePinned(int words) {
            enter();
            long bytes = 4L * words;
            Pointer memory = new Pointer();
            check(
                    JCudaDriver.cuMemHostAlloc(memory, bytes, PORTABLE_AND_MAPPED),
                    "allocate " + bytes + " bytes of pinned memory");
            DevicePointer mapped = new DevicePointer();
            check(JCudaDriver.cuMemHostGetDevicePointer(mapped, memory, 0), "map pinned memory");
            IntBuffer buffer =
                    memory.getByteBuffer(0, bytes).order(ByteOrder.nativeOrder()).asIntBuffer();
            return new HostMemory(buffer, mapped.address(), memory);
        }

        @Override
        public void freePinned(Pinned memory) {
            enter();
            check(JCudaDriver.cuMemFreeHost(pointer(memory)), "free pinned memory");
        }

        @Override
        public void upload(long to, int[] words, int from, int count) {
            enter();
            Pointer source = Pointer.to(words).withByteOffset(4L * from);
            check(JCudaDriver.cuMemcpyHtoD(at(to), source, 4L * count), "copy to the device");
            // From the heap it returns when the driver has its own copy: the default stream may
            // still be writing, and ours do not wait for it.
            check(JCudaDriver.cuStreamSynchronize(DEFAULT_STREAM), "wait for a copy");
        }

        @Override
        public void download(int[] words, int from, int count, long address) {
            enter();
            Pointer target = Pointer.to(words).withByteOffset(4L * from);
            check(
                    JCudaDriver.cuMemcpyDtoH(target, at(address), 4L * count),
                    "copy from the device");
        }

        @Override
        public void copyIn(long to, Pinned from, long bytes, Stream stream) {
            enter();
            check(
                    JCudaDriver.cuMemcpyHtoDAsync(at(to), pointer(from), bytes, handle(stream)),
                    "copy to the device");
        }

        @Override
        public void copyOut(Pinned to, long from, long bytes, Stream stream) {
            enter();
            check(
                    JCudaDriver.cuMemcpyDtoHAsync(pointer(to), at(from), bytes, handle(stream)),
                    "copy from the device");
        }

        @Override
        public long freeBytes() {
            enter();
            long[] free = new long[1];
            check(JCudaDriver.cuMemGetInfo(free, new long[1]), "ask for free memory");
            return free[0];
        }

        @Override
        public Stream stream() {
            enter();
            CUstream stream = new CUstream();
            check(JCudaDriver.cuStreamCreate(stream, NON_BLOCKING), "open a stream");
            return new OpenStream(stream);
        }

        @Override
        public void destroyStream(Stream stream) {
            enter();
            check(JCudaDriver.cuStreamDestroy(handle(stream)), "close a stream");
        }

        @Override
        public void await(Stream stream) {
            enter();
            check(JCudaDriver.cuStreamSynchronize(handle(stream)), "wait for a batch");
        }

        @Override
        public boolean idle(Stream stream) {
            enter();
            int code = JCudaDriver.cuStreamQuery(handle(stream));
            if (code == CUresult.CUDA_ERROR_NOT_READY) {
                return false;
            }
            check(code, "ask whether a batch is done");
            return true;
        }

        @Override
        public Event event() {
            return new OpenEvent(event(WITHOUT_TIME));
        }

        private CUevent event(int flags) {
            enter();
            CUevent event = new CUevent();
            check(JCudaDriver.cuEventCreate(event, flags), "make an event");
            return event;
        }

        @Override
        public void destroyEvent(Event event) {
            enter();
            check(JCudaDriver.cuEventDestroy(handle(event)), "destroy an event");
        }

        @Override
        public void record(Event event, Stream stream) {
            enter();
            check(JCudaDriver.cuEventRecord(handle(event), handle(stream)), "record an event");
        }

        @Override
        public void await(Event event) {
            enter();
            check(JCudaDriver.cuEventSynchronize(handle(event)), "wait for a batch");
        }

        @Override
        public Launch prepare(
                String kernel,
                LaunchShape shape,
                long image,
                long headers,
                long verdicts,
                int[] plan) {
            enter();
            return prepare(module, kernel, shape, image, headers, verdicts, plan);
        }

        private Launch prepare(
                CUmodule from,
                String kernel,
                LaunchShape shape,
                long image,
                long headers,
                long verdicts,
                int[] plan) {
            CUfunction function = function(from, kernel);
            CUfunction invert = function(from, "invert");
            CUdeviceptr answers = at(verdicts);
            String what = "launch " + kernel;
            return (stride, count, stream) -> {
                enter();
                CUstream on = handle(stream);
                int blocks = (count + shape.headersABlock() - 1) / shape.headersABlock();
                synchronized (arguments) {
                    arguments.set(image, headers, verdicts, stride, count, plan);
                    if (shape.maximum()) {
                        check(
                                JCudaDriver.cuMemsetD32Async(answers, 0, count, on),
                                "clear verdicts");
                    }
                    launch(function, what, blocks, shape, on, arguments.all);
                    if (shape.maximum()) {
                        launch(invert, "launch invert", blocks, PLAIN, on, arguments.invert);
                    }
                }
            };
        }

        @Override
        public long sectors(
                String kernel,
                LaunchShape shape,
                long image,
                long headers,
                long verdicts,
                int[] plan,
                int stride,
                int count) {
            enter();
            CUmodule counting = new CUmodule();
            check(
                    JCudaDriver.cuModuleLoadData(counting, kernels(COUNTING_KERNELS)),
                    "load the counting kernels");
            Stream stream = stream();
            try {
                CUdeviceptr counter = new CUdeviceptr();
                check(
                        JCudaDriver.cuModuleGetGlobal(counter, new long[1], counting, SECTORS),
                        "find the counter");
                check(
                        JCudaDriver.cuMemsetD32Async(counter, 0, 2, handle(stream)),
                        "clear the counter");
                prepare(counting, kernel, shape, image, headers, verdicts, plan)
                        .run(stride, count, stream);
                await(stream);
                long[] sectors = new long[1];
                check(
                        JCudaDriver.cuMemcpyDtoH(Pointer.to(sectors), counter, Long.BYTES),
                        "read the counter");
                return sectors[0];
            } finally {
                destroyStream(stream);
                check(JCudaDriver.cuModuleUnload(counting), "unload the counting kernels");
            }
        }

        private static CUfunction function(CUmodule module, String kernel) {
            CUfunction function = new CUfunction();
            check(
                    JCudaDriver.cuModuleGetFunction(function, module, kernel),
                    "find the kernel " + kernel);
            return function;
        }

        private static void launch(
                CUfunction function,
                String what,
                int blocks,
                LaunchShape shape,
                CUstream on,
                Pointer arguments) {
            check(
                    JCudaDriver.cuLaunchKernel(
                            function,
                            blocks,
                            shape.parts(),
                            1,
                            shape.threads(),
                            1,
                            1,
                            shape.sharedBytes(),
                            on,
                            arguments,
                            null),
                    what);
        }

        @Override
        public float time(Runnable ahead, Runnable timed, Stream stream) {
            enter();
            CUevent start = event(0);
            CUevent end = event(0);
            try {
                ahead.run();
                check(JCudaDriver.cuEventRecord(start, handle(stream)), "record an event");
                timed.run();
                check(JCudaDriver.cuEventRecord(end, handle(stream)), "record an event");
                check(JCudaDriver.cuEventSynchronize(end), "wait for a kernel");
                float[] millis = new float[1];
                check(JCudaDriver.cuEventElapsedTime(millis, start, end), "read the time");
                return millis[0];
            } finally {
                JCudaDriver.cuEventDestroy(start);
                JCudaDriver.cuEventDestroy(end);
            }
        }

        @Override
        public void close() {
            enter();
            arguments.close();
            check(JCudaDriver.cuMemFreeHost(arguments.all), "free memory of arguments");
            check(JCudaDriver.cuModuleUnload(module), "unload the kernels");
            check(JCudaDriver.cuCtxDestroy(context), "close a device");
        }

        @Override
        public void abandon() {
            arguments.close();
            // A context that met an error answers every call with it: it goes, memory and all.
            int code = JCudaDriver.cuCtxDestroy(context);
            if (code != CUresult.CUDA_SUCCESS) {
                LOG.debug("the failed context was not destroyed: {}", CUresult.stringFor(code));
            }
        }
    }
}
