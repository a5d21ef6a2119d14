package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.PinnedBatch;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.schemas.header.HeaderBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Times batches from pinned host memory to verdicts in host memory, through Java. Not thread-safe.
 */
final class HostBench {
    private static final long ROUND_NANOS = 50_000_000;
    private static final int ROUNDS = 5;

    private HostBench() {}

    /**
     * What was measured.
     *
     * @param mpps million headers a second, median of the rounds
     * @param cpuNanos nanoseconds of a host core a header
     */
    record Result(double mpps, double cpuNanos) {
        /** Cycles of a host core a header, 0 where the machine does not tell its clock. */
        double cpuCycles() {
            return cpuNanos * GIGAHERTZ;
        }
    }

    private static final double GIGAHERTZ = gigahertz();

    private static double gigahertz() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(l -> l.startsWith("cpu MHz"))
                    .mapToDouble(l -> Double.parseDouble(l.substring(l.indexOf(':') + 1)) / 1e3)
                    .max()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0; // not Linux
        }
    }

    /**
     * Rate with several batches under way.
     *
     * @param batch headers, at least one batch
     * @param depth batches under way
     */
    static Result rate(
            GpuClassifier gpu, HeaderBatch batch, OffloadMode mode, int size, int depth) {
        gpu.offloadMode(mode);
        int stride = size + 31 & ~31;
        List<PinnedBatch> all = new ArrayList<>();
        for (int d = 0; d < depth; d++) {
            PinnedBatch pinned = gpu.pinned();
            for (int p = 0; p < batch.layout().size(); p++) {
                pinned.headers().put(p * stride, batch.words(), p * batch.capacity(), size);
            }
            all.add(pinned);
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        double[] rates = new double[ROUNDS];
        double[] cpu = new double[ROUNDS];
        try {
            for (int r = -2; r < ROUNDS; r++) {
                Deque<PinnedBatch> flying = new ArrayDeque<>();
                Deque<PinnedBatch> idle = new ArrayDeque<>(all);
                long cpuBefore = threads.getCurrentThreadCpuTime();
                long start = System.nanoTime();
                long headers = 0;
                while (true) {
                    boolean more = System.nanoTime() - start < ROUND_NANOS;
                    if (more && !idle.isEmpty()) {
                        PinnedBatch next = idle.remove();
                        next.submit(stride, size);
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
                if (r >= 0) {
                    rates[r] = headers * 1e3 / (System.nanoTime() - start);
                    cpu[r] = (double) (threads.getCurrentThreadCpuTime() - cpuBefore) / headers;
                }
            }
        } finally {
            all.forEach(PinnedBatch::close);
        }
        Arrays.sort(rates);
        Arrays.sort(cpu);
        return new Result(rates[ROUNDS / 2], cpu[ROUNDS / 2]);
    }

    /** Microseconds of one batch there and back, median. */
    static double roundTrip(GpuClassifier gpu, HeaderBatch batch, OffloadMode mode, int size) {
        gpu.offloadMode(mode);
        int stride = size + 31 & ~31;
        double[] micros = new double[2000];
        try (PinnedBatch pinned = gpu.pinned()) {
            for (int p = 0; p < batch.layout().size(); p++) {
                pinned.headers().put(p * stride, batch.words(), p * batch.capacity(), size);
            }
            for (int r = -500; r < micros.length; r++) {
                long start = System.nanoTime();
                pinned.submit(stride, size);
                pinned.await();
                if (r >= 0) {
                    micros[r] = (System.nanoTime() - start) / 1e3;
                }
            }
        }
        Arrays.sort(micros);
        return micros[micros.length / 2];
    }
}
