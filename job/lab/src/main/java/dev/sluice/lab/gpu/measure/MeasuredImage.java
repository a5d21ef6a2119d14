package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.Image;
import java.util.Objects;

/** A compiled rule set in the memory of a device, until it is closed. Not thread-safe. */
final class MeasuredImage implements AutoCloseable {
    private final GpuDriver.Device device;
    private final Image image;
    private final long address;

    /** Copies an image to a device; returns when it is there. */
    MeasuredImage(GpuDriver.Device device, Image image) {
        this.device = device;
        this.image = image;
        this.address = device.allocate(image.bytes());
        device.upload(address, image.words(), 0, image.words().length);
    }

    Image image() {
        return image;
    }

    long address() {
        return address;
    }

    /** Tells whether a kernel reads images of this kind. */
    boolean isReadBy(String kernel) {
        return KernelCatalog.parameters(kernel, image) != null;
    }

    /** A kernel that looks headers up in this image. */
    DeviceKernel kernel(String name) {
        int[] parameters = Objects.requireNonNull(KernelCatalog.parameters(name, image));
        return new DeviceKernel(
                device, name, KernelCatalog.shape(name, image), address, parameters);
    }

    @Override
    public void close() {
        device.free(address);
    }
}
