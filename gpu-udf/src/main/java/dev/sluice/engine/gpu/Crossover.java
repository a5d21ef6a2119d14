package dev.sluice.engine.gpu;

import dev.sluice.engine.Classifier;
import dev.sluice.engine.SampleHeaders;
import dev.sluice.engine.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * From which batch size on a device is faster than the CPU, measured on headers made from the
 * rules.
 *
 * @param smallest fewest headers of a batch; {@link Integer#MAX_VALUE} if the CPU always wins
 * @param transfer the faster way of the headers
 * @param points what was measured
 */
public record Crossover(int smallest, Transfer transfer, List<Point> points) {
    private static final int[] SIZES = {64, 256, 1024, 4096, 16_384};
    private static final long WARM_UP_NANOS = 60_000_000;
    private static final int ROUNDS = 5;

    /**
     * One batch size.
     *
     * @param cpuMicros µs a batch on the CPU
     * @param copyMicros µs on the device with copies
     * @param mappedMicros µs on the device with mapped memory
     */
    public record Point(int headers, double cpuMicros, double copyMicros, double mappedMicros) {}

    /** Measures, in some 0.3 s. */
    static Crossover measure(GpuClassifier gpu, Classifier cpu, RuleSet rules) {
        int most = SIZES[SIZES.length - 1];
        HeaderBatch headers = new SampleHeaders(rules, 9).batch(cpu.layout(), most);
        VerdictBatch verdicts = new VerdictBatch(most);
        gpu.smallest(1);
        gpu.cpuHelps(false);
        long end = System.nanoTime() + WARM_UP_NANOS;
        while (System.nanoTime() < end) { // the JIT compiler has to know the look-up
            headers.size(4096);
            cpu.classify(headers, verdicts);
        }
        List<Point> points = new ArrayList<>();
        for (int size : SIZES) {
            headers.size(size);
            double host = micros(cpu, headers, verdicts);
            gpu.transfer(Transfer.COPY);
            double copy = micros(gpu, headers, verdicts);
            gpu.transfer(Transfer.MAPPED);
            points.add(new Point(size, host, copy, micros(gpu, headers, verdicts)));
        }
        Point last = points.get(points.size() - 1);
        boolean mapped = last.mappedMicros < last.copyMicros;
        int smallest = Integer.MAX_VALUE;
        for (int p = points.size() - 1; p >= 0; p--) {
            Point point = points.get(p);
            if ((mapped ? point.mappedMicros : point.copyMicros) >= point.cpuMicros) {
                break;
            }
            smallest = point.headers;
        }
        return new Crossover(smallest, mapped ? Transfer.MAPPED : Transfer.COPY, points);
    }

    private static double micros(
            Classifier classifier, HeaderBatch headers, VerdictBatch verdicts) {
        double[] times = new double[ROUNDS];
        classifier.classify(headers, verdicts);
        for (int r = 0; r < ROUNDS; r++) {
            long start = System.nanoTime();
            classifier.classify(headers, verdicts);
            times[r] = (System.nanoTime() - start) / 1e3;
        }
        Arrays.sort(times);
        return times[ROUNDS / 2];
    }

    /** One line: from where on, and the times. */
    public String describe() {
        StringBuilder line = new StringBuilder();
        line.append(
                smallest == Integer.MAX_VALUE
                        ? "the CPU is faster at every batch size"
                        : String.format(
                                Locale.ROOT,
                                "faster than the CPU from batches of %,d on, by %s memory",
                                smallest,
                                transfer == Transfer.MAPPED ? "mapped" : "copied"));
        line.append("; µs a batch (CPU, copied, mapped):");
        for (Point p : points) {
            line.append(
                    String.format(
                            Locale.ROOT,
                            " %,d: %.0f %.0f %.0f;",
                            p.headers,
                            p.cpuMicros,
                            p.copyMicros,
                            p.mappedMicros));
        }
        return line.substring(0, line.length() - 1);
    }
}
