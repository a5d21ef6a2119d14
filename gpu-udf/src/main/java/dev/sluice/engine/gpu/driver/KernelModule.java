package dev.sluice.engine.gpu.driver;

import static dev.sluice.engine.gpu.driver.CudaHandles.handle;
import static dev.sluice.engine.gpu.driver.CudaStatus.check;

import dev.sluice.engine.lookup.LaunchShape;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** Compiled kernels that are loaded into the context that is current, found by their names. */
final class KernelModule {
    /**
     * The kernels' PTX lies here beside the classes; the build of the CUDA sources puts it there.
     */
    private static final String FOLDER = "/dev/sluice/engine/gpu/";

    private static final String KERNELS = "kernels.ptx";
    private static final String COUNTING_KERNELS = "counted.ptx";
    private static final String SECTORS = "sluice_sectors";
    private static final String INVERT = "invert";

    private final CUmodule module = new CUmodule();
    private final String what;

    private KernelModule(String resource, String what) {
        this.what = what;
        check(JCudaDriver.cuModuleLoadData(module, text(resource)), "load " + what);
    }

    /** The kernels that classify. */
    static KernelModule load() {
        return new KernelModule(KERNELS, "the kernels");
    }

    /** The same kernels, with look-ups that count the sectors that they read. */
    static KernelModule loadCounting() {
        return new KernelModule(COUNTING_KERNELS, "the counting kernels");
    }

    private static byte[] text(String resource) {
        try (InputStream in = KernelModule.class.getResourceAsStream(FOLDER + resource)) {
            if (in == null) {
                throw new GpuException(0, resource + " is missing beside the classes");
            }
            byte[] text = in.readAllBytes();
            return Arrays.copyOf(text, text.length + 1); // the driver reads to the first 0
        } catch (IOException e) {
            throw new GpuException(0, "cannot read " + resource + ": " + e.getMessage());
        }
    }

    private CUfunction function(String kernel) {
        CUfunction function = new CUfunction();
        check(
                JCudaDriver.cuModuleGetFunction(function, module, kernel),
                "find the kernel " + kernel);
        return function;
    }

    /**
     * A launch of a kernel; see {@link GpuDriver.Device#prepare}.
     *
     * @param enter makes the device's context that of the calling thread
     */
    GpuDriver.Launch prepare(Runnable enter, LaunchArguments arguments, GpuDriver.Call call) {
        CUfunction function = function(call.kernel());
        CUfunction invert = function(INVERT);
        CUdeviceptr answers = CudaMemory.at(call.verdicts());
        String launch = "launch " + call.kernel();
        LaunchShape shape = call.shape();
        return (stride, count, stream) -> {
            enter.run();
            CUstream on = handle(stream);
            int blocks = (count + shape.headersABlock() - 1) / shape.headersABlock();
            synchronized (arguments) {
                arguments.set(call, stride, count);
                if (shape.maximum()) {
                    check(JCudaDriver.cuMemsetD32Async(answers, 0, count, on), "clear verdicts");
                }
                launch(function, launch, blocks, shape, on, arguments.lookUp());
                if (shape.maximum()) {
                    LaunchShape plain = LaunchShape.PLAIN;
                    launch(invert, "launch invert", blocks, plain, on, arguments.invert());
                }
            }
        };
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

    private CUdeviceptr counter() {
        CUdeviceptr counter = new CUdeviceptr();
        check(
                JCudaDriver.cuModuleGetGlobal(counter, new long[1], module, SECTORS),
                "find the counter");
        return counter;
    }

    /** Queues that the counter of {@link #loadCounting} becomes 0. */
    void clearCounter(CUstream stream) {
        check(JCudaDriver.cuMemsetD32Async(counter(), 0, 2, stream), "clear the counter");
    }

    /** The counter of {@link #loadCounting}. */
    long readCounter() {
        long[] sectors = new long[1];
        check(
                JCudaDriver.cuMemcpyDtoH(Pointer.to(sectors), counter(), Long.BYTES),
                "read the counter");
        return sectors[0];
    }

    void unload() {
        check(JCudaDriver.cuModuleUnload(module), "unload " + what);
    }
}
