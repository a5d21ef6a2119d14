package dev.sluice.engine.gpu.driver;

import jcuda.driver.CUevent;
import jcuda.driver.CUstream;

/** JCuda's handles of streams and events. */
final class CudaHandles {
    private CudaHandles() {}

    record OpenStream(CUstream handle) implements GpuDriver.Stream {}

    record OpenEvent(CUevent handle) implements GpuDriver.Event {}

    static CUstream handle(GpuDriver.Stream stream) {
        return ((OpenStream) stream).handle;
    }

    static CUevent handle(GpuDriver.Event event) {
        return ((OpenEvent) event).handle;
    }
}
