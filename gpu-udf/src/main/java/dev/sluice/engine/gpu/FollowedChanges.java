package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.Changes;
import dev.sluice.engine.gpu.memory.DeviceChanges;
import dev.sluice.engine.gpu.memory.DeviceMemory;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Changes behind an image, as far as a device follows them. Thread-safe. */
final class FollowedChanges {
    private final DeviceMemory memory;

    /** Never written: a batch reads it without a lock, and without an iterator. */
    private volatile DeviceChanges[] copies = {};

    /** Nothing is followed so far. */
    FollowedChanges(DeviceMemory memory) {
        this.memory = memory;
    }

    /** As {@link GpuClassifier#follow}. */
    void follow(ChangeSource source) {
        DeviceChanges copy = new DeviceChanges(memory, source);
        synchronized (this) {
            DeviceChanges[] more = Arrays.copyOf(copies, copies.length + 1);
            more[copies.length] = copy;
            copies = more;
        }
    }

    /** As {@link GpuClassifier#unfollow}. */
    @SuppressWarnings("ReferenceEquality") // the very copy
    void unfollow(ChangeSource source) {
        @Nullable DeviceChanges gone;
        synchronized (this) {
            DeviceChanges copy = copyOf(source);
            gone = copy;
            copies =
                    Arrays.stream(copies)
                            .filter(each -> each != copy)
                            .toArray(DeviceChanges[]::new);
        }
        if (gone != null) {
            gone.close();
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

    /** Returns whether the device can look a version up, as far as is known. */
    boolean takes(VersionLookUp version) {
        if (!version.changed()) {
            return true;
        }
        DeviceChanges copy = copyOf(version);
        return copy != null && !copy.full();
    }

    /**
     * Returns the changes up to a version, on their way to the device. The caller has no staging
     * buffer.
     *
     * @param into is told of it
     * @return {@code into}; null if nothing did, or the device has no room for it
     * @throws GpuException if the device fails
     */
    @Nullable Changes bring(VersionLookUp version, Changes into) {
        DeviceChanges changes = version.changed() ? copyOf(version) : null;
        DeviceChanges.Copy copy = changes == null ? null : changes.bring(version.tick());
        if (copy == null) {
            return null;
        }
        into.set(copy, version.tick(), version.directory());
        return into;
    }

    /** Bytes on the device. */
    long bytes() {
        return Arrays.stream(copies).mapToLong(DeviceChanges::bytes).sum();
    }

    /** Gives the memory back. */
    void close() {
        DeviceChanges[] all;
        synchronized (this) {
            all = copies;
            copies = new DeviceChanges[0];
        }
        for (DeviceChanges copy : all) {
            copy.close();
        }
    }
}
