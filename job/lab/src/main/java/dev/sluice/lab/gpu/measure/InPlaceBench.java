package dev.sluice.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.lab.generate.RuleGenerator;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.inplace.GpuInPlaceClassifier;
import dev.sluice.lab.inplace.InPlaceClassifier;
import dev.sluice.lab.kit.Meter;
import dev.sluice.lab.kit.Samples;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;

/** Rules that change in place on a device, as the papers have them. Not thread-safe. */
final class InPlaceBench implements AutoCloseable {
    private static final int BATCH = 65_536;
    private static final Meter DELTAS = new Meter(10, 41);

    private final InPlaceClassifier live;
    private final GpuInPlaceClassifier gpu;
    private final HeaderBatch headers;
    private final RuleTurnover rules;
    private final int deltaRules;
    private long wrong;

    /**
     * Rules on a device.
     *
     * @param count rules that are in force at a time; as many wait outside
     * @param deltaRules rules that a delta names: half of them go, half come
     */
    InPlaceBench(
            GpuDevice device, Algorithm algorithm, RuleShape shape, int count, int deltaRules) {
        this.deltaRules = deltaRules;
        RuleGenerator generator =
                new RuleGenerator(
                        shape, 2 * count, 1, new RuleGenerator.MaskCounts(512, 512, 5), 0.5);
        TestSet set = TestSet.generate("updates", generator, 200_000, 0.1, 1, false);
        this.rules = new RuleTurnover(set.rules().rules());
        RuleSet first = RuleSet.of("updates", 1, RuleSet.DROP, rules.first());
        this.live =
                new InPlaceClassifier(
                        first, set.rules().layout(), algorithm, CompileContext.DEFAULTS);
        this.gpu = new GpuInPlaceClassifier(device, live);
        this.headers = HostBench.drawn(set.trace(), live.layout(), BATCH);
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
    void measure(ObjectNode node) {
        node.put("rules", rules.first().size());
        node.put("deltaRules", deltaRules);
        compare();
        updates(node);
        compare();
        node.put("hostBytes", live.bytes());
        node.put("deviceBytes", gpu.deviceBytes());
        node.put("wrong", wrong);
    }

    /** The time from an applied delta to a copy on the device that has it, and the device's own. */
    private record Update(double micros, double deviceMicros, double linesARule) {}

    private void updates(ObjectNode node) {
        VerdictBatch verdicts = new VerdictBatch(1);
        HeaderBatch one = new HeaderBatch(live.layout(), 1);
        one.size(1);
        gpu.timed(true);
        List<Update> updates =
                DELTAS.collect(
                        () -> {
                            long lines = gpu.patchedLines();
                            gpu.apply(rules.delta(deltaRules));
                            long before = gpu.updateNanos();
                            double patched = gpu.patchMicros();
                            gpu.classify(one, verdicts);
                            return new Update(
                                    (gpu.updateNanos() - before) / 1e3,
                                    gpu.patchMicros() - patched,
                                    (gpu.patchedLines() - lines) / (double) deltaRules);
                        });
        gpu.timed(false);
        double micros = Samples.of(updates, Update::micros).median();
        double deviceMicros = Samples.of(updates, Update::deviceMicros).median();
        node.put("rulesByKernels", gpu.repeatedRules());
        node.put("linesARule", Samples.of(updates, Update::linesARule).median());
        node.put("updateMicros", micros);
        node.put("deviceMicros", deviceMicros);
        // Copies take turns: the one whose turn it is lacks the delta before, too, and takes two.
        node.put("updateMRulesPerSecond", 2 * deltaRules / micros);
        node.put("deviceMRulesPerSecond", 2 * deltaRules / deviceMicros);
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
    }

    @Override
    public void close() {
        gpu.close();
    }
}
