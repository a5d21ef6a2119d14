package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;
import java.util.HashMap;
import java.util.Map;

/** An image in a device's memory, counted by its users. */
final class GpuImage {
    final Image image;

    /** Where it lies; another place when the device was opened anew. */
    volatile long address;

    /** Guarded by the device. */
    int users = 1;

    /** Kernels that stay, by name; guarded by the device. */
    final Map<String, ResidentKernel> residents = new HashMap<>();

    /** Batches of several instances on their way into one launch. */
    final LaunchCoalescer gathering = new LaunchCoalescer();

    GpuImage(Image image, long address) {
        this.image = image;
        this.address = address;
    }
}
