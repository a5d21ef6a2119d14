package dev.sluice.lab.gpu.check;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.Subject;
import dev.sluice.lab.kit.Workers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Subjects of the engine's tests that answer by a device under stress: a device that fails, devices
 * that several instances share, images that come and go.
 */
final class StressSubjects {
    /** CUDA's code for a failed launch. */
    private static final int LAUNCH_FAILED = 719;

    private static final long COMES_BACK_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long SWAPS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int INSTANCES_A_DEVICE = 2;
    private static final int READERS = 3;

    /** Passes over the headers of an instance. */
    private static final int PASSES = 50;

    /** The versions beside have 1 to so many rules. */
    private static final int VERSION_SIZES = 50;

    private static final GpuPool.Selection ALL = GpuPool.Selection.parse("auto");
    private static final Form FORM = Form.plain("merged-tuple");

    private StressSubjects() {}

    /** Answers that must be the same, whoever gives them. Thread-safe. */
    private static final class SameAnswers {
        private int @Nullable [] first;

        synchronized int[] take(int[] positions) {
            if (first != null && !Arrays.equals(first, positions)) {
                throw new IllegalStateException("two answers to the same headers differ");
            }
            first = positions;
            return positions;
        }

        int[] get() {
            return Objects.requireNonNull(first, "nothing answered");
        }
    }

    /** Failing launches, copies and waits: every answer is right, and the device comes back. */
    static List<Subject> faults(GpuDriver driver, int number) {
        List<Subject> all = new ArrayList<>();
        for (FaultInjector.Point point :
                List.of(
                        FaultInjector.Point.LAUNCH,
                        FaultInjector.Point.COPY,
                        FaultInjector.Point.AWAIT)) {
            Subject.Build build =
                    rules -> headers -> fail(driver, number, point, FORM.compile(rules), headers);
            all.add(Subject.of("fault-at-" + point, build));
        }
        return all;
    }

    private static int[] fail(
            GpuDriver driver,
            int number,
            FaultInjector.Point point,
            Classifier cpu,
            List<int[]> headers)
            throws Exception {
        FaultInjector faulty = new FaultInjector(driver);
        SameAnswers answers = new SameAnswers();
        try (GpuDevice device = Check.device(faulty, number);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            faulty.fail(point, 1, LAUNCH_FAILED);
            long end = System.nanoTime() + COMES_BACK_NANOS;
            do {
                answers.take(Subject.lookUp(gpu).positions(headers));
            } while ((gpu.figures().batches.sum() == 0 || gpu.resting())
                    && System.nanoTime() < end);
            answers.take(Subject.lookUp(gpu).positions(headers));
            if (gpu.resting()
                    || gpu.figures().fallBacks.sum() != 1
                    || gpu.figures().batches.sum() == 0) {
                throw new IllegalStateException("the device did not come back");
            }
        }
        return answers.get();
    }

    /** Instances spread over all devices of the machine, at once: no device stays idle. */
    static Subject spread(GpuDriver driver) {
        return Subject.of(
                "spread-over-devices",
                rules -> headers -> spread(driver, FORM.compile(rules), headers));
    }

    private static int[] spread(GpuDriver driver, Classifier cpu, List<int[]> headers)
            throws InterruptedException {
        GpuPool pool = new GpuPool(() -> driver);
        SameAnswers answers = new SameAnswers();
        Set<Integer> used = ConcurrentHashMap.newKeySet();
        Workers instances = new Workers("an instance failed");
        for (int i = 0; i < INSTANCES_A_DEVICE * driver.devices(); i++) {
            int number = i;
            instances.start(
                    "instance " + i,
                    () -> {
                        try (GpuPool.Use use = pool.use(ALL, number)) {
                            GpuDevice device = Objects.requireNonNull(use).device();
                            try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
                                for (int pass = 0; pass < PASSES; pass++) {
                                    answers.take(Subject.lookUp(gpu).positions(headers));
                                }
                                KernelRuns.requireNoCpu(gpu);
                            }
                            used.add(device.context().number());
                        }
                    });
        }
        instances.stop();
        if (used.size() < driver.devices()) {
            throw new IllegalStateException("devices stayed idle but " + used);
        }
        return answers.get();
    }

    /** Versions that come and go beside one under load: each batch is answered by its version. */
    static Subject swaps(GpuDevice device, OffloadMode mode) {
        return Subject.of(
                "swaps-" + mode.describe(), rules -> headers -> swap(device, mode, rules, headers));
    }

    private static int[] swap(
            GpuDevice device, OffloadMode mode, RuleSet rules, List<int[]> headers)
            throws Exception {
        SameAnswers answers = new SameAnswers();
        try (GpuClassifier first = new GpuClassifier(device, FORM.compile(rules));
                Workers readers = new Workers("batches under load failed")) {
            first.offloadMode(mode);
            for (int t = 0; t < READERS; t++) {
                readers.start(
                        "reader " + t,
                        () -> {
                            do {
                                answers.take(Subject.lookUp(first).positions(headers));
                            } while (!readers.stopped());
                        });
            }
            long end = System.nanoTime() + SWAPS_NANOS;
            for (int version = 1; System.nanoTime() < end; version++) {
                comeAndGo(device, rules, version, headers);
            }
            readers.stop();
        }
        return answers.get();
    }

    /** A version of a few rules, which answers one batch. */
    private static void comeAndGo(GpuDevice device, RuleSet rules, int version, List<int[]> headers)
            throws Exception {
        int keep = Math.min(1 + version % VERSION_SIZES, rules.size());
        RuleSet other = RuleSet.of("other", version, RuleSet.DROP, rules.rules().subList(0, keep));
        try (GpuClassifier gpu = new GpuClassifier(device, FORM.compile(other))) {
            int[] expected =
                    headers.stream().mapToInt(h -> Subject.BEST_RULE.position(other, h)).toArray();
            if (!Arrays.equals(expected, Subject.lookUp(gpu).positions(headers))) {
                throw new IllegalStateException("a version beside answers wrong");
            }
        }
    }
}
