package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;

/** An image in a device's memory, counted by its users. */
final class GpuImage {
    final Image image;

    /** Where it lies; another place when the device was opened anew. */
    volatile long address;

    /** Guarded by the device. */
    int users = 1;

    GpuImage(Image image, long address) {
        this.image = image;
        this.address = address;
    }
}
