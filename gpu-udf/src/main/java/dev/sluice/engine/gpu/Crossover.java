package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/**
 * How batches best go to a device, and from which size on that is faster than the CPU, measured on
 * headers made from the rules.
 *
 * @param smallest fewest headers of a batch; {@link Integer#MAX_VALUE} if the CPU always wins
 * @param mode the offload mode with the highest rate
 * @param points what one batch alone took
 * @param trials what several batches at once reached
 */
public record Crossover(int smallest, OffloadMode mode, List<Point> points, List<Trial> trials) {
    private static final int[] SIZES = {64, 256, 1024, 4096, 16_384};
    private static final long WARM_UP_NANOS = 60_000_000;
    private static final int ROUNDS = 5;
    private static final int TRIAL_HEADERS = 4096;
    private static final int TRIAL_DEPTH = 8;
    private static final long TRIAL_NANOS = 6_000_000;

    /** A mode that is tried later has to be faster by this factor to be taken. */
    private static final double CLEARLY = 1.03;

    /**
     * One batch size.
     *
     * @param cpuMicros µs a batch on the CPU
     * @param deviceMicros µs on the device, by the chosen mode
     */
    public record Point(int headers, double cpuMicros, double deviceMicros) {}

    /**
     * Several batches under way.
     *
     * @param mpps million headers a second
     */
    public record Trial(OffloadMode mode, double mpps) {}

    /** Measures, in some 0.3 s. */
    static Crossover measure(
            GpuClassifier gpu, Classifier cpu, RuleSet rules, OffloadPreference preference) {
        int most = SIZES[SIZES.length - 1];
        HeaderBatch headers = new SampleHeaders(rules, 9).batch(cpu.layout(), most);
        VerdictBatch verdicts = new VerdictBatch(most);
        gpu.smallest(1);
        gpu.cpuHelps(false);
        long end = System.nanoTime() + WARM_UP_NANOS;
        while (System.nanoTime() < end) { // the JIT compiler has to know the look-up
            headers.size(TRIAL_HEADERS);
            cpu.classify(headers, verdicts);
        }
        List<Trial> trials = new ArrayList<>();
        headers.size(TRIAL_HEADERS);
        for (OffloadMode mode : modes(gpu, preference)) {
            gpu.offloadMode(mode);
            trials.add(new Trial(mode, rate(gpu, headers)));
        }
        OffloadMode fastest = best(trials).mode;
        for (int batches : preference.batchesALaunchToTry()) {
            if (batches != fastest.batchesALaunch()) {
                OffloadMode mode =
                        new OffloadMode(
                                fastest.launch(), fastest.transfer(), fastest.streams(), batches);
                gpu.offloadMode(mode);
                trials.add(new Trial(mode, rate(gpu, headers)));
            }
        }
        Trial best = best(trials);
        gpu.offloadMode(best.mode);
        List<Point> points = new ArrayList<>();
        for (int size : SIZES) {
            headers.size(size);
            points.add(
                    new Point(
                            size, micros(cpu, headers, verdicts), micros(gpu, headers, verdicts)));
        }
        int smallest = Integer.MAX_VALUE;
        for (int p = points.size() - 1; p >= 0; p--) {
            Point point = points.get(p);
            if (point.deviceMicros >= point.cpuMicros) {
                break;
            }
            smallest = point.headers;
        }
        gpu.rest();
        return new Crossover(smallest, best.mode, points, trials);
    }

    /** Returns the modes that may be chosen, the plainest first. */
    private static List<OffloadMode> modes(GpuClassifier gpu, OffloadPreference preference) {
        List<OffloadMode> modes = new ArrayList<>();
        int batches = preference.batchesALaunchToTry().get(0);
        for (LaunchMode launch :
                List.of(LaunchMode.ASYNCHRONOUS, LaunchMode.PERSISTENT, LaunchMode.ON_DEMAND)) {
            for (Transfer transfer : Transfer.values()) {
                if (launch == LaunchMode.PERSISTENT
                        && (transfer == Transfer.COPY || !gpu.mayStay())) {
                    continue;
                }
                for (int streams : preference.streamsToTry()) {
                    OffloadMode mode = new OffloadMode(launch, transfer, streams, batches);
                    boolean once = streams == preference.streamsToTry().get(0);
                    if (preference.allows(mode) && (launch == LaunchMode.ASYNCHRONOUS || once)) {
                        modes.add(mode);
                    }
                }
            }
        }
        if (modes.isEmpty()) { // the kernel has no form that stays
            modes.add(OffloadMode.PLAIN);
        }
        return modes;
    }

    private static Trial best(List<Trial> trials) {
        Trial best = trials.get(0);
        for (Trial trial : trials) {
            best = trial.mpps > CLEARLY * best.mpps ? trial : best;
        }
        return best;
    }

    private static double rate(GpuClassifier gpu, HeaderBatch headers) {
        Deque<VerdictBatch> idle = new ArrayDeque<>();
        for (int d = 0; d < TRIAL_DEPTH; d++) {
            idle.add(new VerdictBatch(headers.size()));
        }
        Deque<PendingVerdicts> underWay = new ArrayDeque<>();
        Deque<VerdictBatch> theirs = new ArrayDeque<>();
        double[] rates = new double[2];
        for (int round = 0; round < rates.length; round++) {
            long start = System.nanoTime();
            long landed = 0;
            while (System.nanoTime() - start < TRIAL_NANOS || !underWay.isEmpty()) {
                if (System.nanoTime() - start < TRIAL_NANOS && !idle.isEmpty()) {
                    VerdictBatch next = idle.remove();
                    underWay.add(gpu.submit(headers, next));
                    theirs.add(next);
                } else {
                    underWay.remove().await();
                    idle.add(theirs.remove());
                    landed += headers.size();
                }
            }
            rates[round] = landed * 1e3 / (System.nanoTime() - start);
        }
        return rates[rates.length - 1]; // the first one warms up
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

    /** One line: from where on, the mode, and the times. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        Formatter line = new Formatter(text, Locale.ROOT);
        if (smallest == Integer.MAX_VALUE) {
            text.append("the CPU is faster at every batch size");
        } else {
            line.format("faster than the CPU from batches of %,d on, by ", smallest);
            text.append(mode.describe());
        }
        text.append("; µs a batch (CPU, device):");
        for (Point p : points) {
            line.format(" %,d: %.0f %.0f;", p.headers, p.cpuMicros, p.deviceMicros);
        }
        line.format(" M/s of %d batches of %,d:", TRIAL_DEPTH, TRIAL_HEADERS);
        for (Trial t : trials) {
            line.format(" %s %.0f;", t.mode.describe(), t.mpps);
        }
        return text.substring(0, text.length() - 1);
    }
}
