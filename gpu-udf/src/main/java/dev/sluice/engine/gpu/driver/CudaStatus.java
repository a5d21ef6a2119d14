package dev.sluice.engine.gpu.driver;

import jcuda.driver.CUresult;

/** Result codes of the CUDA driver, turned into exceptions that name a remedy. */
final class CudaStatus {
    private CudaStatus() {}

    /**
     * Does nothing if a call succeeded.
     *
     * @param code what the driver returned
     * @param what the call, as it stands behind 'cannot'
     * @throws GpuException with the code, its name and a remedy if the call failed
     */
    static void check(int code, String what) {
        if (code != CUresult.CUDA_SUCCESS) {
            throw new GpuException(
                    code, "cannot " + what + ": " + CUresult.stringFor(code) + remedy(code));
        }
    }

    private static String remedy(int code) {
        return switch (code) {
            case CUresult.CUDA_ERROR_NO_DEVICE -> " (the machine shows no NVIDIA GPU)";
            case CUresult.CUDA_ERROR_OUT_OF_MEMORY ->
                    " (the device's memory is full: load fewer or smaller rule sets)";
            case CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                    CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
                    CUresult.CUDA_ERROR_INVALID_PTX ->
                    " (the driver is too old for the kernels: 470 or later is needed)";
            case CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ->
                    " (the driver's library and its kernel module differ: reboot after an update)";
            default -> "";
        };
    }
}
