package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import dev.sluice.engine.lookup.LaunchShape;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
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
        return CudaMemory.allocate(bytes);
    }

    @Override
    public void free(long address) {
        enter();
        CudaMemory.free(address);
    }

    @Override
    public GpuDriver.Pinned allocatePinned(int words) {
        enter();
        return CudaMemory.allocatePinned(words);
    }

    @Override
    public void freePinned(GpuDriver.Pinned memory) {
        enter();
        CudaMemory.freePinned(memory);
    }

    @Override
    public void upload(long to, int[] words, int from, int count) {
        enter();
        CudaMemory.upload(to, words, from, count);
    }

    @Override
    public void clear(long address, long words) {
        enter();
        CudaMemory.clear(address, words);
    }

    @Override
    public void download(int[] words, int from, int count, long address) {
        enter();
        CudaMemory.download(words, from, count, address);
    }

    @Override
    public void copyIn(long to, GpuDriver.Pinned from, long bytes, GpuDriver.Stream stream) {
        enter();
        CudaMemory.copyIn(to, from, bytes, CudaQueues.handle(stream));
    }

    @Override
    public void copyOut(GpuDriver.Pinned to, long from, long bytes, GpuDriver.Stream stream) {
        enter();
        CudaMemory.copyOut(to, from, bytes, CudaQueues.handle(stream));
    }

    @Override
    public GpuDriver.Stream stream() {
        enter();
        return CudaQueues.stream();
    }

    @Override
    public GpuDriver.Stream urgentStream() {
        enter();
        return CudaQueues.urgentStream();
    }

    @Override
    public void destroyStream(GpuDriver.Stream stream) {
        enter();
        CudaQueues.destroy(stream);
    }

    @Override
    public void await(GpuDriver.Stream stream) {
        enter();
        CudaQueues.await(stream);
    }

    @Override
    public boolean idle(GpuDriver.Stream stream) {
        enter();
        return CudaQueues.idle(stream);
    }

    @Override
    public GpuDriver.Event event() {
        enter();
        return CudaQueues.event();
    }

    @Override
    public void destroyEvent(GpuDriver.Event event) {
        enter();
        CudaQueues.destroy(event);
    }

    @Override
    public void record(GpuDriver.Event event, GpuDriver.Stream stream) {
        enter();
        CudaQueues.record(event, stream);
    }

    @Override
    public void await(GpuDriver.Event event) {
        enter();
        CudaQueues.await(event);
    }

    @Override
    public void follow(GpuDriver.Stream stream, GpuDriver.Event event) {
        enter();
        CudaQueues.follow(stream, event);
    }

    @Override
    public GpuDriver.Launch prepare(
            String kernel,
            LaunchShape shape,
            long image,
            long headers,
            long verdicts,
            int[] parameters) {
        enter();
        return kernels.prepare(
                this::enter, arguments, kernel, shape, image, headers, verdicts, parameters);
    }

    @Override
    public long sectors(
            String kernel,
            LaunchShape shape,
            long image,
            long headers,
            long verdicts,
            int[] parameters,
            int stride,
            int count) {
        enter();
        KernelModule counting = KernelModule.loadCounting();
        GpuDriver.Stream stream = CudaQueues.stream();
        try {
            counting.clearCounter(CudaQueues.handle(stream));
            counting.prepare(
                            this::enter,
                            arguments,
                            kernel,
                            shape,
                            image,
                            headers,
                            verdicts,
                            parameters)
                    .run(stride, count, stream);
            CudaQueues.await(stream);
            return counting.readCounter();
        } finally {
            CudaQueues.destroy(stream);
            counting.unload();
        }
    }

    @Override
    public float time(Runnable ahead, Runnable timed, GpuDriver.Stream stream) {
        enter();
        return CudaQueues.time(ahead, timed, stream);
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
