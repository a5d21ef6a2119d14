package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;

/**
 * Pinned memory of the context that is current, and pointers. Addresses are plain numbers here,
 * where JCuda has pointer objects. Thread-safe.
 */
final class CudaMemory {
    /** Pinned memory that every context may use, and that kernels may read and write. */
    private static final int PORTABLE_AND_MAPPED =
            JCudaDriver.CU_MEMHOSTALLOC_PORTABLE | JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP;

    private CudaMemory() {}

    /** A device pointer that tells its address. */
    static final class DevicePointer extends CUdeviceptr {
        /** Its address on the device. */
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

    /** Pinned memory of batches. */
    static final class HostMemory implements GpuDriver.Pinned {
        final Pointer pointer;
        private final IntBuffer words;
        private final long deviceAddress;

        /**
         * The device memory that it was copied to or from last, mostly the same: so a copy makes no
         * pointer. Written by any thread; what each finds there is whole.
         */
        private Peer peer = new Peer(0, at(0));

        private HostMemory(IntBuffer words, long deviceAddress, Pointer pointer) {
            this.words = words;
            this.deviceAddress = deviceAddress;
            this.pointer = pointer;
        }

        static HostMemory allocate(int count) {
            long bytes = 4L * count;
            HostPointer memory = allocateHost(bytes, bytes + " bytes of pinned memory");
            DevicePointer mapped = new DevicePointer();
            check(JCudaDriver.cuMemHostGetDevicePointer(mapped, memory, 0), "map pinned memory");
            return new HostMemory(memory.bytes(bytes).asIntBuffer(), mapped.address(), memory);
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

    /** JCuda's pointer to an address on the device. */
    static CUdeviceptr at(long address) {
        return new CUdeviceptr().withByteOffset(address);
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
}
