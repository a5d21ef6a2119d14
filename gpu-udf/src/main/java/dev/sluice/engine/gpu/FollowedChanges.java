package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.gpu.memory.DeviceMemory;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What changes behind an image, as far as a device follows it. Thread-safe. */
final class FollowedChanges {
    private final DeviceMemory memory;
    private final Image base;
    private final List<DeviceChanges> copies = new CopyOnWriteArrayList<>();

    /**
     * Nothing is followed so far.
     *
     * @param base the image that changes lie behind
     */
    FollowedChanges(DeviceMemory memory, Image base) {
        this.memory = memory;
        this.base = base;
    }

    /** As {@link GpuClassifier#follow}. */
    void follow(ChangeSource source) {
        copies.add(new DeviceChanges(memory, source));
    }

    /** As {@link GpuClassifier#unfollow}. */
    void unfollow(ChangeSource source) {
        DeviceChanges copy = copyOf(source);
        if (copy != null && copies.remove(copy)) {
            copy.close();
        }
    }

    /** The device's copy of what a version changes; null if there is none. */
    @Nullable DeviceChanges copyOf(VersionLookUp version) {
        return copyOf(version.source());
    }

    @SuppressWarnings("ReferenceEquality") // the very source
    private @Nullable DeviceChanges copyOf(@Nullable ChangeSource source) {
        for (DeviceChanges copy : copies) {
            if (copy.source() == source) {
                return copy;
            }
        }
        return null;
    }

    /** Whether the device can look a version up, as far as is known. */
    boolean takes(VersionLookUp version) {
        if (!version.changed()) {
            return true;
        }
        DeviceChanges copy = copyOf(version);
        return copy != null && !copy.full();
    }

    /**
     * What changed up to a version, on its way to the device. The caller has no staging buffer.
     *
     * @return null if nothing did, or the device has no room for it
     * @throws GpuException if the device fails
     */
    @Nullable Changes bring(VersionLookUp version) {
        DeviceChanges changes = version.changed() ? copyOf(version) : null;
        DeviceChanges.Copy copy = changes == null ? null : changes.bring(version.tick());
        return copy == null
                ? null
                : new Changes(
                        copy, base.layout(), version.tick(), version.directory(), base.rules());
    }

    /** Bytes on the device. */
    long bytes() {
        return copies.stream().mapToLong(DeviceChanges::bytes).sum();
    }

    /** Gives the memory back. */
    void close() {
        copies.forEach(DeviceChanges::close);
        copies.clear();
    }
}
