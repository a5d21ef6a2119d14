package dev.sluice.lab.inplace;

import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.memory.DeviceContext;
import dev.sluice.engine.gpu.memory.DeviceImage;
import dev.sluice.engine.gpu.memory.DeviceMemory;
import dev.sluice.engine.gpu.memory.StagingBuffer;
import dev.sluice.engine.gpu.memory.UpdateKernels;
import dev.sluice.engine.hashtree.HashTreeUpdateLayout;
import dev.sluice.engine.tuplespace.RuleLog;
import java.nio.IntBuffer;
import java.util.List;

/**
 * Repeats on a device what happened to an H-HashTree, rule by rule, by the three kernels of its
 * authors (Lin et al. §4.4): find the buckets, move those that are marked together, condense them.
 * Rules travel, instead of the lines of memory that they change.
 *
 * <p>Memory beside the image holds what the kernels need, as {@link HashTreeUpdateLayout} describes
 * it.
 *
 * <p>Not thread-safe; used under {@link DeviceContext#shared}, while nothing looks into the image.
 */
final class TreeUpdates {
    /** Rules of a launch. */
    private static final int MOST_RULES = 1 << 14;

    private final RuleLog log;
    private final DeviceMemory memory;
    private int epoch = -1;
    private long address;
    private long words;
    private long rules;

    TreeUpdates(DeviceMemory memory, RuleLog log) {
        this.memory = memory;
        this.log = log;
    }

    /** What happened since the copy was brought up to date. */
    RuleLog log() {
        return log;
    }

    /** Rules that went in or out. */
    long rules() {
        return rules;
    }

    /** Bytes of device memory beside the image. */
    long bytes() {
        return 4 * words;
    }

    /**
     * The image was copied as it is now: makes the memory beside it fit.
     *
     * @param capacity words of the image
     */
    void refresh(long capacity) {
        byte[] counters = log.counters();
        int counterWords = counters.length / 4;
        long wanted = HashTreeUpdateLayout.words(MOST_RULES, counterWords, capacity);
        if (epoch != memory.context().epoch() || words != wanted) {
            close();
            address = memory.allocate(4 * wanted);
            epoch = memory.context().epoch();
            words = wanted;
            memory.clear(address, words);
            int[] head = new int[HashTreeUpdateLayout.HEAD];
            head[HashTreeUpdateLayout.MOST] = MOST_RULES;
            head[HashTreeUpdateLayout.COUNTERS] = counterWords;
            memory.context().device().upload(address, head, 0, head.length);
        }
        int[] packed = new int[counterWords];
        for (int k = 0; k < packed.length; k++) {
            packed[k] =
                    counters[4 * k] & 0xff
                            | (counters[4 * k + 1] & 0xff) << 8
                            | (counters[4 * k + 2] & 0xff) << 16
                            | counters[4 * k + 3] << 24;
        }
        long counterAddress = address + 4 * HashTreeUpdateLayout.counters(MOST_RULES);
        memory.context().device().upload(counterAddress, packed, 0, counterWords);
    }

    /**
     * Repeats what is in the log; returns when it is done.
     *
     * @param timed whether to measure the kernels
     * @return their milliseconds, 0 if they were not measured
     * @throws GpuException if the device fails; the next update copies lines then
     */
    double repeat(DeviceImage image, boolean timed) {
        double millis = 0;
        StagingBuffer buffer = memory.staging().take();
        try {
            for (RuleLog.Group group : log.groups()) {
                if (!group.removes()) {
                    millis += poke(buffer, image, group, timed);
                }
                int stride = group.removes() ? 1 : 1 + log.rowWords();
                int most = Math.min(MOST_RULES, memory.staging().words() / stride);
                millis +=
                        parts(
                                buffer,
                                image,
                                UpdateKernels.TREE_STEPS,
                                group.rules(),
                                stride,
                                group.count(),
                                most,
                                timed);
                if (group.removes()) {
                    millis += poke(buffer, image, group, timed);
                }
                rules += group.count();
            }
        } catch (GpuException e) {
            // The changed lines are still known and are right whatever was done, so they travel
            // next time; the memory beside the image is made anew.
            log.restructured();
            close();
            throw e;
        } finally {
            memory.staging().give(buffer);
        }
        return millis;
    }

    private double poke(
            StagingBuffer buffer, DeviceImage image, RuleLog.Group group, boolean timed) {
        List<String> kernel = List.of(UpdateKernels.POKE);
        int most = memory.staging().words() / 2;
        return parts(buffer, image, kernel, group.words(), 2, group.wordCount(), most, timed);
    }

    /** Runs kernels over items of {@code stride} words each, {@code most} items a launch. */
    private double parts(
            StagingBuffer buffer,
            DeviceImage image,
            List<String> kernels,
            int[] items,
            int stride,
            int count,
            int most,
            boolean timed) {
        double millis = 0;
        IntBuffer out = buffer.headers().words();
        for (int from = 0; from < count; from += most) {
            int n = Math.min(most, count - from);
            out.put(0, items, from * stride, n * stride);
            millis +=
                    UpdateKernels.run(
                            memory.context().device(),
                            buffer,
                            image,
                            address,
                            kernels,
                            n * stride,
                            stride,
                            n,
                            timed);
        }
        return millis;
    }

    /** Gives the memory back. */
    void close() {
        if (epoch == memory.context().epoch() && words > 0) {
            memory.free(address, 4 * words, epoch);
        }
        words = 0;
        epoch = -1;
    }
}
