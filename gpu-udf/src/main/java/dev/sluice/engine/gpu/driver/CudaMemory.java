package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * Memory of the context that is current, and copies to and from it. Addresses are plain numbers
 * here, where JCuda has pointer objects. Thread-safe.
 */
final class CudaMemory {
    /** Pinned memory that every context may use, and that kernels may read and write. */
    private static final int PORTABLE_AND_MAPPED =
            JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP;

    /** The stream of copies that name none. */
    private static final CUstream DEFAULT_STREAM = new CUstream();

    private CudaMemory() {}

    /** A device pointer that tells its address. */
    private static final class DevicePointer extends CUdeviceptr {
        long address() {
            return getNativePointer() + getByteOffset();
        }
    }

    /** Pinned host memory with its address. */
    static final class HostPointer extends Pointer {
        /** Its address for the host. */
        long address() {
            return getNativePointer() + getByteOffset();
        }

        /** So many bytes of it, in the machine's order. */
        ByteBuffer bytes(long count) {
            return getByteBuffer(0, count).order(ByteOrder.nativeOrder());
        }
    }

    private static final class HostMemory implements GpuDriver.Pinned {
        private final IntBuffer words;
        private final long deviceAddress;
        private final Pointer pointer;

        /**
         * The device memory that it was copied to or from last, mostly the same: so a copy makes no
         * pointer. Written by any thread; what each finds there is whole.
         */
        private Peer peer = new Peer(0, at(0));

        HostMemory(IntBuffer words, long deviceAddress, Pointer pointer) {
            this.words = words;
            this.deviceAddress = deviceAddress;
            this.pointer = pointer;
        }

        @Override
        public IntBuffer words() {
            return words;
        }

        @Override
        public long deviceAddress() {
            return deviceAddress;
        }

        CUdeviceptr peer(long address) {
            Peer known = peer;
            if (known.address != address) {
                known = new Peer(address, at(address));
                peer = known;
            }
            return known.pointer;
        }
    }

    private record Peer(long address, CUdeviceptr pointer) {}

    private static HostMemory host(GpuDriver.Pinned memory) {
        return (HostMemory) memory;
    }

    /** JCuda's pointer to an address on the device. */
    static CUdeviceptr at(long address) {
        return new CUdeviceptr().withByteOffset(address);
    }

    static long allocate(long bytes) {
        DevicePointer memory = new DevicePointer();
        check(JCudaDriver.cuMemAlloc(memory, bytes), "allocate " + bytes + " bytes");
        return memory.address();
    }

    static void free(long address) {
        check(JCudaDriver.cuMemFree(at(address)), "free device memory");
    }

    /** Pinned memory as a pointer, for {@link LaunchArguments}. */
    static HostPointer allocateHost(long bytes, String what) {
        HostPointer memory = new HostPointer();
        check(JCudaDriver.cuMemHostAlloc(memory, bytes, PORTABLE_AND_MAPPED), "allocate " + what);
        return memory;
    }

    static void freeHost(Pointer memory, String what) {
        check(JCudaDriver.cuMemFreeHost(memory), "free " + what);
    }

    static GpuDriver.Pinned allocatePinned(int words) {
        long bytes = 4L * words;
        HostPointer memory = allocateHost(bytes, bytes + " bytes of pinned memory");
        DevicePointer mapped = new DevicePointer();
        check(JCudaDriver.cuMemHostGetDevicePointer(mapped, memory, 0), "map pinned memory");
        return new HostMemory(memory.bytes(bytes).asIntBuffer(), mapped.address(), memory);
    }

    static void freePinned(GpuDriver.Pinned memory) {
        freeHost(host(memory).pointer, "pinned memory");
    }

    static void upload(long to, int[] words, int from, int count) {
        Pointer source = Pointer.to(words).withByteOffset(4L * from);
        check(JCudaDriver.cuMemcpyHtoD(at(to), source, 4L * count), "copy to the device");
        // A copy from the heap returns when the driver has staged the words, while the default
        // stream may still be writing them to the device. Our streams do not wait for the default
        // stream, so a kernel could read what is not there yet: wait here.
        check(JCudaDriver.cuStreamSynchronize(DEFAULT_STREAM), "wait for a copy");
    }

    static void clear(long address, long words) {
        check(JCudaDriver.cuMemsetD32(at(address), 0, words), "clear device memory");
        check(JCudaDriver.cuStreamSynchronize(DEFAULT_STREAM), "wait for memory to be cleared");
    }

    static void download(int[] words, int from, int count, long address) {
        Pointer target = Pointer.to(words).withByteOffset(4L * from);
        check(JCudaDriver.cuMemcpyDtoH(target, at(address), 4L * count), "copy from the device");
    }

    static void copyIn(long to, GpuDriver.Pinned from, long bytes, CUstream stream) {
        HostMemory source = host(from);
        check(
                JCudaDriver.cuMemcpyHtoDAsync(source.peer(to), source.pointer, bytes, stream),
                "copy to the device");
    }

    static void copyOut(GpuDriver.Pinned to, long from, long bytes, CUstream stream) {
        HostMemory target = host(to);
        check(
                JCudaDriver.cuMemcpyDtoHAsync(target.pointer, target.peer(from), bytes, stream),
                "copy from the device");
    }
}
