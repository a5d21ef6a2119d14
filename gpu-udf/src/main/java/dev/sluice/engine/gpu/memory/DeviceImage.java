package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.image.Image;
import java.util.concurrent.CompletableFuture;

/** An image in a device's memory, counted by its users. */
public final class DeviceImage {
    private final Image image;

    /** Written before {@link #epoch}. */
    private volatile long address;

    private volatile int epoch = -1;

    /** Outcome of the copying: true if it ended well. */
    private final CompletableFuture<Boolean> uploaded = new CompletableFuture<>();

    /** Guarded by the {@link DeviceImages} that it is in. */
    int users = 1;

    /** An image that lies nowhere yet. */
    public DeviceImage(Image image) {
        this.image = image;
    }

    /** The image on the host. */
    public Image image() {
        return image;
    }

    /** Returns its address on the device, which changes when the device is opened anew. */
    public long address() {
        return address;
    }

    /** Epoch of the context that the address belongs to; -1 while it lies nowhere. */
    public int epoch() {
        return epoch;
    }

    /** It lies at an address now. */
    public void place(long newAddress, int newEpoch) {
        address = newAddress;
        epoch = newEpoch;
    }

    /** Tells who waits that the copying ended. */
    void uploaded(boolean well) {
        uploaded.complete(well);
    }

    /** Returns whether it was copied to the device, in this epoch or an earlier one. */
    boolean there() {
        return uploaded.getNow(false);
    }

    /** Waits until it is copied; false if that failed. */
    boolean awaitUpload() {
        return uploaded.join();
    }
}
