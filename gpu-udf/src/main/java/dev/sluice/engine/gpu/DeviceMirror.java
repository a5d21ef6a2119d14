package dev.sluice.engine.gpu;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.memory.MutableImage;
import dev.sluice.engine.tuplespace.RuleLog;
import dev.sluice.schemas.header.HeaderLayout;
import java.nio.IntBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device's copy of one memory: it takes the lines that changed, in place. Memory for growth is
 * taken ahead; when that is used up, the whole moves to a larger place. Its user sees to it that
 * the memory does not change meanwhile, and that nothing looks into the copy while it is brought up
 * to date.
 */
final class DeviceMirror {
    /** Room beyond what is in use, as a share of it. */
    private static final int GROWTH_SHARE = 2;

    private static final int SMALLEST_WORDS = 1 << 16;

    /** Changed lines, as a share of all, beyond which the whole is copied. */
    private static final int WHOLE_SHARE = 4;

    final MutableImage memory;
    private final GpuDevice device;

    /** What kernels are launched with: the layout and where the copy lies. */
    private final GpuImage image;

    private long capacity;
    private int epoch = -1;
    private long patchedLines;
    private long wholes;
    private double patchMillis;

    /** Repeats rules on the device; null: changed lines travel. */
    private final @Nullable TreeUpdates tree;

    /**
     * A copy.
     *
     * @param log what happens to the rules, for updates rule by rule; null: changed lines travel
     */
    DeviceMirror(
            GpuDevice device,
            MutableImage memory,
            HeaderLayout layout,
            int algorithm,
            @Nullable RuleLog log) {
        this.device = device;
        this.memory = memory;
        this.tree = log == null ? null : new TreeUpdates(device, log);
        this.image =
                new GpuImage(Image.seal(new int[ImageLayout.BODY_AT], algorithm, layout, 0), 0);
    }

    /** What kernels are launched with. */
    GpuImage image() {
        return image;
    }

    /** Bytes of device memory. */
    long bytes() {
        return 4 * capacity + (tree == null ? 0 : tree.bytes());
    }

    /** Lines that were written in place. */
    long patchedLines() {
        return patchedLines;
    }

    /** Milliseconds of the kernel that writes lines, where it was measured. */
    double patchMillis() {
        return patchMillis;
    }

    /** Rules that the device's own kernels took in or out. */
    long repeatedRules() {
        return tree == null ? 0 : tree.rules();
    }

    /** How often the whole was copied. */
    long wholes() {
        return wholes;
    }

    /** Whether the memory has changed since. */
    boolean behind() {
        return epoch != device.epoch() || memory.dirtyLineCount() > 0;
    }

    /**
     * Brings the copy up to date; returns when it is.
     *
     * @param timed whether to measure the kernel that writes lines
     * @throws GpuException if the device fails or has no room
     */
    void update(boolean timed) {
        boolean moved = epoch != device.epoch() || memory.size() > capacity;
        if (moved) {
            place();
        } else if (tree != null && tree.log.repeatable()) {
            patchMillis += tree.repeat(image, timed);
        } else if (memory.dirtyLineCount() > memory.size() / MutableImage.LINE / WHOLE_SHARE) {
            whole();
        } else if (memory.dirtyLineCount() > 0) {
            patch(timed);
        }
        if (tree != null) {
            if (moved || !tree.log.repeatable()) {
                tree.refresh(epoch, capacity);
            }
            tree.log.clear();
        }
        memory.clearDirtyLines();
    }

    private void place() {
        if (epoch == device.epoch()) {
            device.freeImage(image.address, 4 * capacity);
        }
        capacity = 0;
        epoch = -1;
        long wanted = memory.size() + (long) memory.size() / GROWTH_SHARE + SMALLEST_WORDS;
        wanted = wanted + MutableImage.LINE - 1 & -MutableImage.LINE;
        image.address = device.allocateImage(4 * wanted);
        epoch = device.epoch();
        capacity = wanted;
        memory.trackDirtyLines();
        whole();
        // Words that are not in use yet are 0, as they will be there.
        device.clear(image.address + 4L * memory.size(), capacity - memory.size());
    }

    private void whole() {
        wholes++;
        device.device().upload(image.address, memory.words(), 0, memory.size());
    }

    private void patch(boolean timed) {
        int most = device.slotWords() / (1 + MutableImage.LINE) & -32;
        GpuDevice.Slot slot = device.take();
        try {
            int[] words = memory.words();
            IntBuffer out = slot.headers.words();
            for (int from = 0; from < memory.dirtyLineCount(); from += most) {
                int lines = Math.min(most, memory.dirtyLineCount() - from);
                int stride = lines + 31 & -32;
                for (int k = 0; k < lines; k++) {
                    int line = memory.dirtyLine(from + k);
                    out.put(k, line);
                    int at = line * MutableImage.LINE;
                    int count = Math.min(MutableImage.LINE, words.length - at);
                    out.put(stride + k * MutableImage.LINE, words, at, count);
                    for (int z = count; z < MutableImage.LINE; z++) {
                        out.put(stride + k * MutableImage.LINE + z, 0);
                    }
                }
                int used = stride + lines * MutableImage.LINE;
                patchMillis +=
                        device.change(
                                slot,
                                image,
                                0,
                                List.of(KernelCatalog.PATCH),
                                used,
                                stride,
                                lines * MutableImage.LINE,
                                timed);
                patchedLines += lines;
            }
        } finally {
            device.give(slot);
        }
    }

    /** Gives the memory back. */
    void close() {
        if (tree != null) {
            tree.close();
        }
        if (epoch == device.epoch() && capacity > 0) {
            device.freeImage(image.address, 4 * capacity);
        }
        capacity = 0;
        epoch = -1;
    }
}
