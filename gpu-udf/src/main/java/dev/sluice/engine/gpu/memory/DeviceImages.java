package dev.sluice.engine.gpu.memory;

import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.image.Image;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The sealed images on a device: one copy of each, counted by its users, whatever operator instance
 * compiled it. Images are equal if their words are.
 *
 * <p>Thread-safe. Its monitor guards the list and the counts and is held for moments: images are
 * compared and copied outside. An image is in the list from before its copying begins, so that a
 * second thread with an equal one finds it and waits for that copy instead of making another; if
 * the copying fails, the entry is gone, and who waited tries anew.
 */
public final class DeviceImages {
    private final DeviceContext context;
    private final Residency residency;
    private final List<DeviceImage> images = new ArrayList<>();

    DeviceImages(DeviceContext context, Residency residency) {
        this.context = context;
        this.residency = residency;
    }

    /**
     * An image on the device: a new copy, or one more user of the copy that is there or under way.
     *
     * @throws GpuException if the device has no room or fails; nothing is left there then
     */
    public DeviceImage retain(Image image) {
        Set<DeviceImage> others = new HashSet<>();
        while (true) {
            DeviceImage fresh = new DeviceImage(image);
            DeviceImage candidate = anotherOrAdd(others, fresh);
            if (candidate == null) {
                upload(fresh);
                return fresh;
            }
            if (!equal(candidate.image(), image)) {
                others.add(candidate);
            } else if (join(candidate) && candidate.awaitUpload()) {
                return candidate;
            }
            // Else it went while it was compared, or its copying failed: look again.
        }
    }

    private static boolean equal(Image one, Image other) {
        // Images that differ do so in their first words: the checksum is among them.
        return one == other || Arrays.equals(one.words(), other.words());
    }

    /** An image of the list that is none of some; null if there is none: then one is added. */
    private synchronized @Nullable DeviceImage anotherOrAdd(
            Set<DeviceImage> some, DeviceImage added) {
        for (DeviceImage image : images) {
            if (!some.contains(image)) {
                return image;
            }
        }
        images.add(added);
        return null;
    }

    /** One more user, if the image is still in the list. */
    private synchronized boolean join(DeviceImage image) {
        if (!images.contains(image)) {
            return false;
        }
        image.users++;
        return true;
    }

    private synchronized void remove(DeviceImage image) {
        images.remove(image);
    }

    private void upload(DeviceImage fresh) {
        boolean well = false;
        Lock shared = context.shared();
        shared.lock();
        try {
            copy(fresh);
            well = true;
        } finally {
            if (!well) {
                remove(fresh);
            }
            fresh.uploaded(well);
            shared.unlock();
        }
    }

    /** Copies an image to the device; kernels that stay are away only while memory is taken. */
    private void copy(DeviceImage image) {
        context.requireOpen();
        GpuDriver.Device device = context.device();
        int[] words = image.image().words();
        long address = residency.whileAway(() -> device.allocate(image.image().bytes()));
        try {
            device.upload(address, words, 0, words.length);
        } catch (RuntimeException e) {
            try {
                residency.runWhileAway(() -> device.free(address));
            } catch (GpuException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        image.place(address, context.epoch());
    }

    /**
     * Ends one use of an image; the last one ends its kernels that stay and frees its memory. No
     * batch of that user may be under way.
     *
     * @return whether it was the last one
     */
    public boolean release(DeviceImage image) {
        synchronized (this) {
            image.users--;
            if (image.users > 0) {
                return false;
            }
            images.remove(image);
        }
        DeviceContext.Held share = context.share();
        try (share) {
            residency.end(image);
            if (context.holds(image.epoch())) {
                residency.runWhileAway(() -> context.device().free(image.address()));
            }
        }
        return true;
    }

    /** Number of images. */
    public synchronized int count() {
        return images.size();
    }

    /** Bytes of all images. */
    public synchronized long bytes() {
        return images.stream().mapToLong(i -> i.image().bytes()).sum();
    }

    private synchronized List<DeviceImage> there() {
        return images.stream().filter(DeviceImage::there).toList();
    }

    /**
     * Copies all images to a device that was opened anew; one that is being added copies itself.
     * The caller has the context for himself.
     */
    void restore() {
        there().forEach(this::copy);
    }

    /** Frees all images. The caller has the context for himself. */
    void close() {
        there().forEach(image -> context.device().free(image.address()));
    }
}
