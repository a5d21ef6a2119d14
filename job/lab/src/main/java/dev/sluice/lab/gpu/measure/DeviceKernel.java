package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.lookup.LaunchShape;

/**
 * A kernel and the image that it reads.
 *
 * @param shape how it is launched
 * @param image address of the image on the device
 * @param parameters record that the kernel takes behind its other arguments
 */
record DeviceKernel(
        GpuDriver.Device device, String name, LaunchShape shape, long image, int[] parameters) {
    /** The kernel on headers at an address, to be launched any number of times. */
    GpuDriver.Launch prepare(long headers, long verdicts) {
        return device.prepare(call(headers, verdicts));
    }

    /**
     * Sectors of 32 bytes that the look-ups of all headers read.
     *
     * @param stride distance of two words of a header
     */
    long sectors(long headers, long verdicts, int stride, int count) {
        return device.sectors(call(headers, verdicts), stride, count);
    }

    private GpuDriver.Call call(long headers, long verdicts) {
        return new GpuDriver.Call(name, shape, image, headers, verdicts, parameters);
    }
}
