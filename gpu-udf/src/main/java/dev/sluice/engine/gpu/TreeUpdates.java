package dev.sluice.engine.gpu;

import dev.sluice.engine.hashtree.HashTreeUpdateLayout;
import dev.sluice.engine.tuplespace.RuleLog;
import java.nio.IntBuffer;
import java.util.List;

/**
 * Repeats on a device what happened to an H-HashTree, rule by rule, by the three kernels of its
 * authors (Lin et al. §4.4): find the buckets, move those that are marked together, condense them.
 * Rules travel, instead of the lines of memory that they change. Its user sees to it that nothing
 * looks into the image meanwhile.
 */
final class TreeUpdates {
    /** Rules of a launch. */
    private static final int MOST_RULES = 1 << 14;

    final RuleLog log;
    private final GpuDevice device;
    private int epoch = -1;
    private long address;
    private long words;
    private long rules;

    TreeUpdates(GpuDevice device, RuleLog log) {
        this.device = device;
        this.log = log;
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
     * @param epochNow that of the device
     * @param capacity words of the image
     */
    void refresh(int epochNow, long capacity) {
        byte[] counters = log.counters();
        int counterWords = counters.length / 4;
        long wanted = HashTreeUpdateLayout.words(MOST_RULES, counterWords, capacity);
        if (epoch != epochNow || words != wanted) {
            close();
            address = device.allocateImage(4 * wanted);
            epoch = epochNow;
            words = wanted;
            device.clear(address, words);
            int[] head = new int[HashTreeUpdateLayout.HEAD];
            head[HashTreeUpdateLayout.MOST] = MOST_RULES;
            head[HashTreeUpdateLayout.COUNTERS] = counterWords;
            device.device().upload(address, head, 0, head.length);
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
        device.device().upload(counterAddress, packed, 0, counterWords);
    }

    /**
     * Repeats what is in the log; returns when it is done.
     *
     * @param timed whether to measure the kernels
     * @return their milliseconds, 0 if they were not measured
     */
    double repeat(GpuImage image, boolean timed) {
        double millis = 0;
        GpuDevice.Slot slot = device.take();
        try {
            for (RuleLog.Group group : log.groups()) {
                if (!group.removes()) {
                    millis += poke(slot, image, group, timed);
                }
                int stride = group.removes() ? 1 : 1 + log.rowWords();
                int most = Math.min(MOST_RULES, device.slotWords() / stride);
                millis +=
                        parts(
                                slot,
                                image,
                                KernelCatalog.TREE_STEPS,
                                group.rules(),
                                stride,
                                group.count(),
                                most,
                                timed);
                if (group.removes()) {
                    millis += poke(slot, image, group, timed);
                }
                rules += group.count();
            }
        } catch (GpuException e) {
            // Lines will travel, which are right whatever was done; the memory beside is made anew.
            log.restructured();
            close();
            throw e;
        } finally {
            device.give(slot);
        }
        return millis;
    }

    private double poke(GpuDevice.Slot slot, GpuImage image, RuleLog.Group group, boolean timed) {
        List<String> kernel = List.of(KernelCatalog.POKE);
        int most = device.slotWords() / 2;
        return parts(slot, image, kernel, group.words(), 2, group.wordCount(), most, timed);
    }

    private double parts(
            GpuDevice.Slot slot,
            GpuImage image,
            List<String> kernels,
            int[] of,
            int stride,
            int count,
            int most,
            boolean timed) {
        double millis = 0;
        IntBuffer out = slot.headers.words();
        for (int from = 0; from < count; from += most) {
            int n = Math.min(most, count - from);
            out.put(0, of, from * stride, n * stride);
            millis += device.change(slot, image, address, kernels, n * stride, stride, n, timed);
        }
        return millis;
    }

    /** Gives the memory back. */
    void close() {
        if (epoch == device.epoch() && words > 0) {
            device.freeImage(address, 4 * words);
        }
        words = 0;
        epoch = -1;
    }
}
