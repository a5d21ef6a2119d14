package dev.sluice.lab.inplace;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.DeviceMemory;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.UpdateKernels;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.tuplespace.RuleLog;
import dev.sluice.schemas.header.HeaderLayout;
import java.nio.IntBuffer;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The device's copy of one image that changes. It is brought up to date before a batch looks there,
 * by the cheapest of three means: the lines that changed, in place; the rules that changed,
 * repeated by the device's own kernels where the algorithm has them; or the whole. Room for growth
 * is taken ahead; when it is used up, the copy moves to a larger place.
 *
 * <p>Not thread-safe. The caller sees to it that the image does not change, and that no batch looks
 * into the copy, while it is brought up to date.
 */
final class DeviceMirror {
    /** Room beyond what is in use, as a share of it: 1 / 2. */
    private static final int GROWTH_SHARE = 2;

    private static final int SMALLEST_WORDS = 1 << 16;

    /** Changed lines, as a share of all, beyond which the whole is copied: 1 / 4. */
    private static final int WHOLE_SHARE = 4;

    private final DeviceMemory memory;
    private final MutableImage source;

    /** What kernels are launched with: the layout and where the copy lies. */
    private final DeviceImage image;

    /** Words that the copy has room for. */
    private long capacity;

    private long patchedLines;
    private long wholes;
    private double patchMillis;

    /** Repeats rules on the device; null: changed lines travel. */
    private final @Nullable TreeUpdates tree;

    /**
     * A copy that is made with the first {@link #update}.
     *
     * @param algorithm code of the algorithm that looks there
     * @param log what happens to the rules, for updates rule by rule; null: changed lines travel
     */
    public DeviceMirror(
            DeviceMemory memory,
            MutableImage source,
            HeaderLayout layout,
            int algorithm,
            @Nullable RuleLog log) {
        this.memory = memory;
        this.source = source;
        this.tree = log == null ? null : new TreeUpdates(memory, log);
        this.image =
                new DeviceImage(Image.seal(new int[ImageLayout.BODY_AT], algorithm, layout, 0));
    }

    /** The image on the host. */
    public MutableImage source() {
        return source;
    }

    /** What kernels are launched with. */
    public DeviceImage image() {
        return image;
    }

    /** Bytes of device memory, room for growth included. */
    public long bytes() {
        return 4 * capacity + (tree == null ? 0 : tree.bytes());
    }

    /** Lines that were written in place. */
    public long patchedLines() {
        return patchedLines;
    }

    /** Milliseconds of the kernel that writes lines, where it was measured. */
    public double patchMillis() {
        return patchMillis;
    }

    /** Rules that the device's own kernels took in or out. */
    public long repeatedRules() {
        return tree == null ? 0 : tree.rules();
    }

    /** How often the whole was copied. */
    public long wholes() {
        return wholes;
    }

    private boolean gone() {
        return image.epoch() != memory.context().epoch();
    }

    /** Whether the image has changed since, or the copy went with the device. */
    public boolean behind() {
        return gone() || source.dirtyLineCount() > 0;
    }

    /**
     * Brings the copy up to date; returns when it is. The device is not opened anew meanwhile.
     *
     * @param timed whether to measure the kernel that writes lines
     * @throws GpuException if the device fails or has no room
     */
    public void update(boolean timed) {
        Lock shared = memory.context().shared();
        shared.lock();
        try {
            memory.context().requireOpen();
            boolean moved = gone() || source.size() > capacity;
            if (moved) {
                place();
            } else if (tree != null && tree.log().repeatable()) {
                patchMillis += tree.repeat(image, timed);
            } else if (source.dirtyLineCount() > source.size() / MutableImage.LINE / WHOLE_SHARE) {
                whole();
            } else if (source.dirtyLineCount() > 0) {
                patch(timed);
            }
            if (tree != null) {
                if (moved || !tree.log().repeatable()) {
                    tree.refresh(capacity);
                }
                tree.log().clear();
            }
            source.clearDirtyLines();
        } finally {
            shared.unlock();
        }
    }

    private void place() {
        if (!gone()) {
            memory.free(image.address(), 4 * capacity, image.epoch());
        }
        capacity = 0;
        image.displace();
        long wanted = source.size() + (long) source.size() / GROWTH_SHARE + SMALLEST_WORDS;
        wanted = wanted + MutableImage.LINE - 1 & -MutableImage.LINE;
        image.place(memory.allocate(4 * wanted), memory.context().epoch());
        capacity = wanted;
        source.trackDirtyLines();
        whole();
        // Words that are not in use yet are 0 on the host when they come into use.
        memory.clear(image.address() + 4L * source.size(), capacity - source.size());
    }

    private void whole() {
        wholes++;
        memory.context().device().upload(image.address(), source.words(), 0, source.size());
    }

    private void patch(boolean timed) {
        int most = memory.staging().words() / (1 + MutableImage.LINE) & -32;
        StagingBuffer buffer = memory.staging().take();
        try {
            for (int from = 0; from < source.dirtyLineCount(); from += most) {
                int lines = Math.min(most, source.dirtyLineCount() - from);
                int stride = lines + 31 & -32;
                write(buffer.headers().words(), from, lines, stride);
                patchMillis +=
                        UpdateKernels.run(
                                memory.context().device(),
                                buffer,
                                image,
                                0,
                                List.of(UpdateKernels.PATCH),
                                stride + lines * MutableImage.LINE,
                                stride,
                                lines * MutableImage.LINE,
                                timed);
                patchedLines += lines;
            }
        } finally {
            memory.staging().give(buffer);
        }
    }

    /** Numbers of changed lines, then, from word {@code stride} on, their words. */
    private void write(IntBuffer out, int from, int lines, int stride) {
        int[] words = source.words();
        for (int k = 0; k < lines; k++) {
            int line = source.dirtyLine(from + k);
            out.put(k, line);
            int at = line * MutableImage.LINE;
            int count = Math.min(MutableImage.LINE, words.length - at);
            out.put(stride + k * MutableImage.LINE, words, at, count);
            for (int z = count; z < MutableImage.LINE; z++) {
                out.put(stride + k * MutableImage.LINE + z, 0);
            }
        }
    }

    /** Gives the memory back. */
    public void close() {
        if (tree != null) {
            tree.close();
        }
        if (!gone() && capacity > 0) {
            memory.free(image.address(), 4 * capacity, image.epoch());
        }
        capacity = 0;
        image.displace();
    }
}
