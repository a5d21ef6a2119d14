package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuInPlaceClassifier;
import dev.sluice.engine.inplace.InPlaceClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Rules that change on a device while headers are looked up there. Not thread-safe. */
final class InPlaceBench implements AutoCloseable {
    static final int SLOTS = 4;

    private static final int BATCH = 65_536;
    private static final int DELTAS = 41;

    /** How long look-ups are measured beside changes, and alone. */
    static final long SPAN_NANOS = 1_000_000_000L;

    private final InPlaceClassifier live;
    private final GpuInPlaceClassifier gpu;
    private final HeaderBatch headers;
    private final RuleTurnover rules;
    private final int deltaRules;
    private final long spanNanos;
    private long wrong;

    /**
     * Rules on a device.
     *
     * @param count rules that are in force at a time; as many wait outside
     * @param deltaRules rules that a delta names: half of them go, half come
     * @param spanNanos usually {@link #SPAN_NANOS}
     */
    InPlaceBench(
            GpuDevice device,
            Algorithm algorithm,
            RuleShape shape,
            int count,
            int deltaRules,
            long spanNanos) {
        this.deltaRules = deltaRules;
        this.spanNanos = spanNanos;
        TestSet set = Workloads.shape("updates", shape, 2 * count, 0.5);
        this.rules = new RuleTurnover(set.rules().rules());
        RuleSet first = RuleSet.of("updates", 1, RuleSet.DROP, rules.first());
        this.live =
                new InPlaceClassifier(
                        first, set.rules().layout(), algorithm, CompileContext.DEFAULTS);
        this.gpu = new GpuInPlaceClassifier(device, live);
        this.headers = DrawnHeaders.batch(set.trace(), live.layout(), BATCH);
    }

    /**
     * Sends the rules of a delta, for kernels to insert and remove, instead of changed lines of
     * memory.
     *
     * @throws UsageException if the algorithm has no kernels for that
     */
    void ruleByRule() {
        try {
            gpu.ruleByRule();
        } catch (UnsupportedOperationException e) {
            throw new UsageException("--rule-by-rule: " + e.getMessage(), e);
        }
    }

    /** All figures, as members of a JSON object. */
    void measure(ObjectNode node) throws InterruptedException {
        node.put("rules", rules.first().size());
        node.put("deltaRules", deltaRules);
        compare();
        updates(node);
        compare();
        double alone = rate(null, 0);
        node.put("lookUpsAloneMpps", Math.round(alone * 10) / 10.0);
        for (int size : new int[] {1, 100, deltaRules}) {
            AtomicLong done = new AtomicLong();
            double beside = rate(done, size);
            node.put("updatesBy" + size, Math.round(done.get() * 1e9 / spanNanos));
            node.put("lookUpsBesideMppsBy" + size, Math.round(beside * 10) / 10.0);
        }
        compare();
        node.put("hostBytes", live.bytes());
        node.put("deviceBytes", gpu.deviceBytes());
        node.put("wrong", wrong);
    }

    /** Time from a published delta to a copy on the device that has it. */
    private void updates(ObjectNode node) {
        double[] micros = new double[DELTAS];
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        HeaderBatch one = new HeaderBatch(live.layout(), 1);
        one.size(1);
        // Puts both copies on the device, and warms the code up.
        for (int d = 0; d < 10; d++) {
            gpu.apply(rules.delta(deltaRules));
            gpu.classify(one, verdicts);
        }
        long lines = gpu.patchedLines();
        long nanos = gpu.updateNanos();
        double[] kernel = new double[DELTAS];
        gpu.timed(true);
        for (int d = 0; d < DELTAS; d++) {
            gpu.apply(rules.delta(deltaRules));
            long before = gpu.updateNanos();
            double patched = gpu.patchMicros();
            gpu.classify(one, verdicts);
            micros[d] = (gpu.updateNanos() - before) / 1e3;
            kernel[d] = gpu.patchMicros() - patched;
        }
        gpu.timed(false);
        node.put("rulesByKernels", gpu.repeatedRules());
        node.put("linesARule", (gpu.patchedLines() - lines) / ((double) DELTAS * deltaRules));
        Arrays.sort(micros);
        Arrays.sort(kernel);
        node.put("updateMicros", micros[DELTAS / 2]);
        node.put("deviceMicros", kernel[DELTAS / 2]);
        // Copies take turns: the one whose turn it is lacks the delta before, too, and takes two.
        node.put("updateMRulesPerSecond", 2 * deltaRules / micros[DELTAS / 2]);
        node.put("deviceMRulesPerSecond", 2 * deltaRules / kernel[DELTAS / 2]);
        node.put("updateMeanMicros", (gpu.updateNanos() - nanos) / 1e3 / DELTAS);
    }

    /** Look-ups with several batches under way, beside a writer or alone; M headers a second. */
    private double rate(@Nullable AtomicLong done, int deltaSize) throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = null;
        if (done != null) {
            writer =
                    new Thread(
                            () -> {
                                while (!stop.get()) {
                                    gpu.apply(rules.delta(deltaSize));
                                    done.addAndGet(deltaSize);
                                }
                            });
            writer.start();
        }
        Deque<PendingVerdicts> flights = new ArrayDeque<>();
        List<VerdictBatch> room = new ArrayList<>();
        for (int s = 0; s < SLOTS; s++) {
            room.add(new VerdictBatch(BATCH));
        }
        long start = System.nanoTime();
        long batches = 0;
        while (System.nanoTime() - start < spanNanos) {
            if (flights.size() == SLOTS) {
                flights.remove().await();
            }
            flights.add(gpu.submit(headers, room.get((int) (batches++ % SLOTS))));
        }
        flights.forEach(PendingVerdicts::await);
        double mpps = batches * BATCH * 1e3 / (System.nanoTime() - start);
        stop.set(true);
        if (writer != null) {
            writer.join();
        }
        return mpps;
    }

    /** Compares the device's answers with the CPU's. */
    private void compare() {
        VerdictBatch here = new VerdictBatch(BATCH);
        VerdictBatch there = new VerdictBatch(BATCH);
        live.classify(headers, here);
        gpu.classify(headers, there);
        for (int i = 0; i < BATCH; i++) {
            boolean miss = here.rule(i) < 0;
            boolean same = miss == there.rule(i) < 0 && (miss || here.ids()[i] == there.ids()[i]);
            wrong += same ? 0 : 1;
        }
        if (gpu.fallBacks() > 0) {
            throw new IllegalStateException("the CPU answered in the device's place");
        }
    }

    @Override
    public void close() {
        gpu.close();
    }
}
