package dev.sluice.job.endtoend;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What a job took while it was driven, and whether that grows. */
final class MemoryOverTime {
    private static final long MEBIBYTE = 1 << 20;

    /** What garbage collection, buffers that happen to be full and compiled code make of it. */
    private static final long HEAP_NOISE = 32 * MEBIBYTE;

    private static final long DIRECT_NOISE = 8 * MEBIBYTE;
    private static final long RESIDENT_NOISE = 96 * MEBIBYTE;

    private final List<MeasuredJob.Memory> samples = new ArrayList<>();

    void add(MeasuredJob.Memory sample) {
        samples.add(sample);
    }

    /** Fails where a kind of memory grows by more than its noise. */
    private interface Bound {
        void require(String what, ToLongFunction<MeasuredJob.Memory> of, long noise);
    }

    private void requireOfEach(String what, Bound bound) {
        System.out.println(what + ": " + this);
        bound.require(what + ": heap", MeasuredJob.Memory::heap, HEAP_NOISE);
        bound.require(what + ": direct memory", MeasuredJob.Memory::direct, DIRECT_NOISE);
        bound.require(what + ": the process", MeasuredJob.Memory::resident, RESIDENT_NOISE);
    }

    /** Fails if the last third of the samples is above the first by more than the noise. */
    void requireFlat(String what) {
        requireOfEach(what, this::requireFlat);
    }

    private void requireFlat(String what, ToLongFunction<MeasuredJob.Memory> of, long noise) {
        int third = samples.size() / 3;
        if (third < 2) {
            throw new AssertionError(what + ": " + samples.size() + " samples are too few");
        }
        long before = median(samples.subList(0, third), of);
        long after = median(samples.subList(samples.size() - third, samples.size()), of);
        if (after > before + noise) {
            throw new AssertionError(
                    "%s grows from %d to %d MiB: %s"
                            .formatted(what, before / MEBIBYTE, after / MEBIBYTE, this));
        }
    }

    /**
     * Fails if the highest sample of the second half is above that of the first by more than the
     * noise: of what fills up and is emptied again.
     */
    void requireNoHigher(String what) {
        requireOfEach(what, this::requireNoHigher);
    }

    private void requireNoHigher(String what, ToLongFunction<MeasuredJob.Memory> of, long noise) {
        int half = samples.size() / 2;
        long before = samples.subList(0, half).stream().mapToLong(of).max().orElseThrow();
        long after =
                samples.subList(half, samples.size()).stream().mapToLong(of).max().orElseThrow();
        if (after > before + noise) {
            throw new AssertionError(
                    "%s reaches %d MiB, and %d before: %s"
                            .formatted(what, after / MEBIBYTE, before / MEBIBYTE, this));
        }
    }

    private static long median(
            List<MeasuredJob.Memory> samples, ToLongFunction<MeasuredJob.Memory> of) {
        return samples.stream()
                .mapToLong(of)
                .sorted()
                .skip(samples.size() / 2)
                .findFirst()
                .getAsLong();
    }

    /** Heap, direct memory and whole process of each sample in MiB. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("MiB of heap+direct/process");
        for (MeasuredJob.Memory sample : samples) {
            text.append(
                    " %d+%d/%d"
                            .formatted(
                                    sample.heap() / MEBIBYTE,
                                    sample.direct() / MEBIBYTE,
                                    sample.resident() / MEBIBYTE));
        }
        return text.toString();
    }
}
