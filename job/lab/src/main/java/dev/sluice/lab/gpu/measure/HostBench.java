package dev.sluice.lab.gpu.measure;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.PinnedBatch;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.lab.kit.Meter;
import dev.sluice.lab.kit.Samples;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Times batches from pinned host memory to verdicts in host memory, through Java. Not thread-safe.
 */
final class HostBench {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long ROUND_NANOS = 50_000_000;
    private static final Meter ROUNDS = new Meter(2, 5);
    private static final Meter SINGLE_BATCHES = new Meter(500, 2000);

    private HostBench() {}

    /** Headers of a trace, drawn at random, the same ones each time, in one batch. */
    static HeaderBatch drawn(HeaderTrace trace, HeaderLayout layout, int count) {
        HeaderBatch batch = new HeaderBatch(layout, count);
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < count; i++) {
            batch.add(trace.header(random.nextInt(trace.size())));
        }
        return batch;
    }

    /**
     * Rate with several batches under way.
     *
     * @param mpps million headers a second
     * @param cpuNanos nanoseconds of a host core a header
     */
    record Result(double mpps, double cpuNanos) {}

    /** Measures a batch, so many of it under way. */
    static Result rate(GpuClassifier gpu, HeaderBatch batch, OffloadMode mode, int depth) {
        gpu.offloadMode(mode);
        List<PinnedBatch> all = new ArrayList<>();
        try {
            for (int d = 0; d < depth; d++) {
                all.add(pinned(gpu, batch));
            }
            List<Result> rounds = ROUNDS.collect(() -> round(all, batch.size()));
            return new Result(
                    Samples.of(rounds, Result::mpps).median(),
                    Samples.of(rounds, Result::cpuNanos).median());
        } finally {
            all.forEach(PinnedBatch::close);
        }
    }

    private static Result round(List<PinnedBatch> all, int size) {
        Deque<PinnedBatch> flying = new ArrayDeque<>();
        Deque<PinnedBatch> idle = new ArrayDeque<>(all);
        long cpuBefore = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        long headers = 0;
        while (true) {
            boolean more = System.nanoTime() - start < ROUND_NANOS;
            if (more && !idle.isEmpty()) {
                PinnedBatch next = idle.remove();
                next.submit(stride(size), size);
                flying.add(next);
            } else if (flying.isEmpty()) {
                break;
            } else {
                PinnedBatch eldest = flying.remove();
                eldest.await();
                idle.add(eldest);
                headers += size;
            }
        }
        return new Result(
                headers * 1e3 / (System.nanoTime() - start),
                (double) (THREADS.getCurrentThreadCpuTime() - cpuBefore) / headers);
    }

    /** Microseconds of one batch there and back, median. */
    static double roundTrip(GpuClassifier gpu, HeaderBatch batch, OffloadMode mode) {
        gpu.offloadMode(mode);
        try (PinnedBatch pinned = pinned(gpu, batch)) {
            return SINGLE_BATCHES
                    .measure(
                            () -> {
                                long start = System.nanoTime();
                                pinned.submit(stride(batch.size()), batch.size());
                                pinned.await();
                                return (System.nanoTime() - start) / 1e3;
                            })
                    .median();
        }
    }

    private static PinnedBatch pinned(GpuClassifier gpu, HeaderBatch batch) {
        PinnedBatch pinned = new PinnedBatch(gpu);
        for (int p = 0; p < batch.layout().size(); p++) {
            pinned.headers()
                    .put(
                            p * stride(batch.size()),
                            batch.words(),
                            p * batch.capacity(),
                            batch.size());
        }
        return pinned;
    }

    /** Distance of two words of a header. */
    private static int stride(int size) {
        return size + 31 & ~31;
    }
}
