package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** Streams and events of the context that is current. Thread-safe. */
final class CudaQueues {
    /** A stream that does not wait for the default stream, nor the default stream for it. */
    private static final int NON_BLOCKING = 1;

    /** An event that takes no time stamp, which is cheaper to record. */
    private static final int WITHOUT_TIME = 2;

    private static final int WITH_TIME = 0;

    private CudaQueues() {}

    private record OpenStream(CUstream handle) implements GpuDriver.Stream {}

    private record OpenEvent(CUevent handle) implements GpuDriver.Event {}

    static CUstream handle(GpuDriver.Stream stream) {
        return ((OpenStream) stream).handle;
    }

    private static CUevent handle(GpuDriver.Event event) {
        return ((OpenEvent) event).handle;
    }

    static GpuDriver.Stream stream() {
        CUstream stream = new CUstream();
        check(JCudaDriver.cuStreamCreate(stream, NON_BLOCKING), "open a stream");
        return new OpenStream(stream);
    }

    /** A stream as above, of the highest priority that the device has. */
    static GpuDriver.Stream urgentStream() {
        int[] greatest = new int[1];
        check(
                JCudaDriver.cuCtxGetStreamPriorityRange(new int[1], greatest),
                "ask for the priorities of streams");
        CUstream stream = new CUstream();
        check(
                JCudaDriver.cuStreamCreateWithPriority(stream, NON_BLOCKING, greatest[0]),
                "open a stream");
        return new OpenStream(stream);
    }

    static void destroy(GpuDriver.Stream stream) {
        check(JCudaDriver.cuStreamDestroy(handle(stream)), "close a stream");
    }

    static void await(GpuDriver.Stream stream) {
        check(JCudaDriver.cuStreamSynchronize(handle(stream)), "wait for a batch");
    }

    static boolean idle(GpuDriver.Stream stream) {
        int code = JCudaDriver.cuStreamQuery(handle(stream));
        if (code == CUresult.CUDA_ERROR_NOT_READY) {
            return false;
        }
        check(code, "ask whether a batch is done");
        return true;
    }

    static GpuDriver.Event event() {
        return new OpenEvent(event(WITHOUT_TIME));
    }

    private static CUevent event(int flags) {
        CUevent event = new CUevent();
        check(JCudaDriver.cuEventCreate(event, flags), "make an event");
        return event;
    }

    static void destroy(GpuDriver.Event event) {
        check(JCudaDriver.cuEventDestroy(handle(event)), "destroy an event");
    }

    static void record(GpuDriver.Event event, GpuDriver.Stream stream) {
        record(handle(event), stream);
    }

    private static void record(CUevent event, GpuDriver.Stream stream) {
        check(JCudaDriver.cuEventRecord(event, handle(stream)), "record an event");
    }

    static void await(GpuDriver.Event event) {
        check(JCudaDriver.cuEventSynchronize(handle(event)), "wait for a batch");
    }

    static void follow(GpuDriver.Stream stream, GpuDriver.Event event) {
        check(
                JCudaDriver.cuStreamWaitEvent(handle(stream), handle(event), 0),
                "let a stream wait for an event");
    }

    /** See {@link GpuDriver.Device#time}. */
    static float time(Runnable ahead, Runnable timed, GpuDriver.Stream stream) {
        CUevent start = event(WITH_TIME);
        CUevent end = event(WITH_TIME);
        try {
            ahead.run();
            record(start, stream);
            timed.run();
            record(end, stream);
            check(JCudaDriver.cuEventSynchronize(end), "wait for a kernel");
            float[] millis = new float[1];
            check(JCudaDriver.cuEventElapsedTime(millis, start, end), "read the time");
            return millis[0];
        } finally {
            JCudaDriver.cuEventDestroy(start);
            JCudaDriver.cuEventDestroy(end);
        }
    }
}
