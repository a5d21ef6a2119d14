package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaStatus.check;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;

import java.nio.charset.StandardCharsets;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/** The CUDA driver API through JCuda. Thread-safe. */
public final class JCudaGpuDriver implements GpuDriver {
    /** Oldest compute capability that the kernels run on, 75 for 7.5. */
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
                NativeLibrary.load();
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
                            + ", the kernels need 7.5 (Turing) or later");
        }
        return new CudaContext(handle(device));
    }
}
