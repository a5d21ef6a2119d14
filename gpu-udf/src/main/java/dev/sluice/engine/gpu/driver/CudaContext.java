package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaHandles.handle;
import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A device that is open: a context of our own, with the kernels loaded. Destroying it after a
 * failure takes nobody else's memory away. Each call makes the context current for its thread
 * first. Thread-safe.
 */
final class CudaContext implements GpuDriver.Device {
    private static final Logger LOG = LoggerFactory.getLogger(CudaContext.class);

    /** A stream that does not wait for the default stream, nor the default stream for it. */
    private static final int NON_BLOCKING = 1;

    /** An event that takes no time stamp, which is cheaper to record. */
    private static final int WITHOUT_TIME = 2;

    private static final int WITH_TIME = 0;

    /** The stream of copies that name none. */
    private static final CUstream DEFAULT_STREAM = new CUstream();

    private final CUcontext context = new CUcontext();
    private final KernelModule kernels;
    private final LaunchArguments arguments;

    CudaContext(CUdevice device) {
        check(JCudaDriver.cuCtxCreate(context, 0, device), "open a device");
        try {
            enter();
            kernels = KernelModule.load();
            arguments = new LaunchArguments();
        } catch (GpuException e) {
            check(JCudaDriver.cuCtxDestroy(context), "close a device");
            throw e;
        }
    }

    /** Makes the context the one that the calling thread's calls go to. */
    void enter() {
        check(JCudaDriver.cuCtxSetCurrent(context), "enter a device's context");
    }

    @Override
    public long allocate(long bytes) {
        enter();
        CudaMemory.DevicePointer memory = new CudaMemory.DevicePointer();
        check(JCudaDriver.cuMemAlloc(memory, bytes), "allocate " + bytes + " bytes");
        return memory.address();
    }

    @Override
    public void free(long address) {
        enter();
        check(JCudaDriver.cuMemFree(CudaMemory.at(address)), "free device memory");
    }

    @Override
    public GpuDriver.Pinned allocatePinned(int words) {
        enter();
        return CudaMemory.HostMemory.allocate(words);
    }

    @Override
    public void freePinned(GpuDriver.Pinned memory) {
        enter();
        CudaMemory.freeHost(host(memory).pointer, "pinned memory");
    }

    private static CudaMemory.HostMemory host(GpuDriver.Pinned memory) {
        return (CudaMemory.HostMemory) memory;
    }

    @Override
    public void upload(long to, int[] words, int from, int count) {
        enter();
        Pointer source = Pointer.to(words).withByteOffset(4L * from);
        check(
                JCudaDriver.cuMemcpyHtoD(CudaMemory.at(to), source, 4L * count),
                "copy to the device");
        // A copy from the heap returns when the driver has staged the words, while the default
        // stream may still be writing them to the device. Our streams do not wait for the default
        // stream, so a kernel could read what is not there yet: wait here.
        check(JCudaDriver.cuStreamSynchronize(DEFAULT_STREAM), "wait for a copy");
    }

    @Override
    public void clear(long address, long words) {
        enter();
        check(JCudaDriver.cuMemsetD32(CudaMemory.at(address), 0, words), "clear device memory");
        check(JCudaDriver.cuStreamSynchronize(DEFAULT_STREAM), "wait for memory to be cleared");
    }

    @Override
    public void download(int[] words, int from, int count, long address) {
        enter();
        Pointer target = Pointer.to(words).withByteOffset(4L * from);
        check(
                JCudaDriver.cuMemcpyDtoH(target, CudaMemory.at(address), 4L * count),
                "copy from the device");
    }

    @Override
    public void copyIn(long to, GpuDriver.Pinned from, long bytes, GpuDriver.Stream stream) {
        enter();
        CudaMemory.HostMemory source = host(from);
        check(
                JCudaDriver.cuMemcpyHtoDAsync(
                        source.peer(to), source.pointer, bytes, handle(stream)),
                "copy to the device");
    }

    @Override
    public void copyOut(GpuDriver.Pinned to, long from, long bytes, GpuDriver.Stream stream) {
        enter();
        CudaMemory.HostMemory target = host(to);
        check(
                JCudaDriver.cuMemcpyDtoHAsync(
                        target.pointer, target.peer(from), bytes, handle(stream)),
                "copy from the device");
    }

    @Override
    public GpuDriver.Stream stream() {
        enter();
        CUstream stream = new CUstream();
        check(JCudaDriver.cuStreamCreate(stream, NON_BLOCKING), "open a stream");
        return new CudaHandles.OpenStream(stream);
    }

    @Override
    public GpuDriver.Stream urgentStream() {
        enter();
        int[] greatest = new int[1];
        check(
                JCudaDriver.cuCtxGetStreamPriorityRange(new int[1], greatest),
                "ask for the priorities of streams");
        CUstream stream = new CUstream();
        check(
                JCudaDriver.cuStreamCreateWithPriority(stream, NON_BLOCKING, greatest[0]),
                "open a stream");
        return new CudaHandles.OpenStream(stream);
    }

    @Override
    public void destroyStream(GpuDriver.Stream stream) {
        enter();
        check(JCudaDriver.cuStreamDestroy(handle(stream)), "close a stream");
    }

    @Override
    public void await(GpuDriver.Stream stream) {
        enter();
        check(JCudaDriver.cuStreamSynchronize(handle(stream)), "wait for a batch");
    }

    @Override
    public boolean idle(GpuDriver.Stream stream) {
        enter();
        int code = JCudaDriver.cuStreamQuery(handle(stream));
        if (code == CUresult.CUDA_ERROR_NOT_READY) {
            return false;
        }
        check(code, "ask whether a batch is done");
        return true;
    }

    @Override
    public GpuDriver.Event event() {
        enter();
        return event(WITHOUT_TIME);
    }

    private static CudaHandles.OpenEvent event(int flags) {
        CUevent event = new CUevent();
        check(JCudaDriver.cuEventCreate(event, flags), "make an event");
        return new CudaHandles.OpenEvent(event);
    }

    @Override
    public void destroyEvent(GpuDriver.Event event) {
        enter();
        check(JCudaDriver.cuEventDestroy(handle(event)), "destroy an event");
    }

    @Override
    public void record(GpuDriver.Event event, GpuDriver.Stream stream) {
        enter();
        check(JCudaDriver.cuEventRecord(handle(event), handle(stream)), "record an event");
    }

    @Override
    public void await(GpuDriver.Event event) {
        enter();
        check(JCudaDriver.cuEventSynchronize(handle(event)), "wait for a batch");
    }

    @Override
    public void follow(GpuDriver.Stream stream, GpuDriver.Event event) {
        enter();
        check(
                JCudaDriver.cuStreamWaitEvent(handle(stream), handle(event), 0),
                "let a stream wait for an event");
    }

    @Override
    public GpuDriver.Launch prepare(GpuDriver.Call call) {
        enter();
        return kernels.prepare(this::enter, arguments, call);
    }

    @Override
    public long sectors(GpuDriver.Call call, int stride, int count) {
        enter();
        KernelModule counting = KernelModule.loadCounting();
        GpuDriver.Stream stream = stream();
        try {
            counting.clearCounter(handle(stream));
            counting.prepare(this::enter, arguments, call).run(stride, count, stream);
            await(stream);
            return counting.readCounter();
        } finally {
            destroyStream(stream);
            counting.unload();
        }
    }

    @Override
    public float time(Runnable ahead, Runnable timed, GpuDriver.Stream stream) {
        enter();
        CudaHandles.OpenEvent start = event(WITH_TIME);
        CudaHandles.OpenEvent end = event(WITH_TIME);
        try {
            ahead.run();
            record(start, stream);
            timed.run();
            record(end, stream);
            check(JCudaDriver.cuEventSynchronize(end.handle()), "wait for a kernel");
            float[] millis = new float[1];
            check(
                    JCudaDriver.cuEventElapsedTime(millis, start.handle(), end.handle()),
                    "read the time");
            return millis[0];
        } finally {
            JCudaDriver.cuEventDestroy(start.handle());
            JCudaDriver.cuEventDestroy(end.handle());
        }
    }

    @Override
    public void close() {
        enter();
        arguments.close();
        arguments.free();
        kernels.unload();
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
