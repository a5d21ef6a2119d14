package dev.sluice.engine.gpu.driver;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import jcuda.Pointer;
import jcuda.driver.CUresult;

/**
 * Arguments of a launch, in host memory outside the heap, where the driver finds them. JCuda passes
 * one address on, where it would take Java arrays apart one by one, which was half of what a launch
 * cost. The driver copies the arguments during the launch's call, so one block of them serves a
 * whole context.
 *
 * <p>The caller holds this object's monitor from {@link #set} until its launches are queued. The
 * memory belongs to the context: it goes when that is destroyed.
 *
 * <pre>
 * byte 0    addresses of image, headers, verdicts, stride, count, parameters (8 bytes each)
 *      48   addresses of verdicts, count, for the kernel that inverts verdicts
 *      64   image, headers, verdicts (8 bytes each)
 *      88   stride, count (4 bytes each)
 *      96   parameters (4 bytes a word)
 * </pre>
 */
final class LaunchArguments {
    private static final int BYTES = 8192;
    private static final int INVERT_AT = 48;
    private static final int IMAGE_AT = 64;
    private static final int HEADERS_AT = IMAGE_AT + Long.BYTES;
    private static final int VERDICTS_AT = HEADERS_AT + Long.BYTES;
    private static final int STRIDE_AT = VERDICTS_AT + Long.BYTES;
    private static final int COUNT_AT = STRIDE_AT + Integer.BYTES;
    private static final int PARAMETERS_AT = COUNT_AT + Integer.BYTES;

    private final CudaMemory.HostPointer all;
    private final Pointer invert;
    private final ByteBuffer bytes;
    private final IntBuffer words;
    private boolean open = true;

    /** Allocates in the context that is current. */
    LaunchArguments() {
        all = CudaMemory.allocateHost(BYTES, "memory for arguments");
        bytes = all.bytes(BYTES);
        words = bytes.asIntBuffer();
        invert = all.withByteOffset(INVERT_AT);
        int[] places = {IMAGE_AT, HEADERS_AT, VERDICTS_AT, STRIDE_AT, COUNT_AT, PARAMETERS_AT};
        for (int a = 0; a < places.length; a++) {
            bytes.putLong(a * Long.BYTES, all.address() + places[a]);
        }
        bytes.putLong(INVERT_AT, all.address() + VERDICTS_AT);
        bytes.putLong(INVERT_AT + Long.BYTES, all.address() + COUNT_AT);
    }

    /** Arguments of a look-up kernel, as cuLaunchKernel takes them. */
    Pointer lookUp() {
        return all;
    }

    /** Arguments of the kernel that inverts the verdicts of the same launch. */
    Pointer invert() {
        return invert;
    }

    /**
     * Writes the arguments of a launch.
     *
     * @throws GpuException if the context was closed
     */
    void set(GpuDriver.Call call, int stride, int count) {
        if (!open) {
            throw new GpuException(CUresult.CUDA_ERROR_DEINITIALIZED, "the device is closed");
        }
        bytes.putLong(IMAGE_AT, call.image());
        bytes.putLong(HEADERS_AT, call.headers());
        bytes.putLong(VERDICTS_AT, call.verdicts());
        bytes.putInt(STRIDE_AT, stride);
        bytes.putInt(COUNT_AT, count);
        words.put(PARAMETERS_AT / Integer.BYTES, call.parameters());
    }

    /** No launch writes here from now on. */
    synchronized void close() {
        open = false;
    }

    /** Gives the memory back; only after {@link #close}. */
    void free() {
        CudaMemory.freeHost(all, "memory of arguments");
    }
}
