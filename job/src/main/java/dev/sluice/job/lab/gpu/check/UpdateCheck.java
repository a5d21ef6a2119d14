package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.job.lab.inplace.GpuInPlaceClassifier;
import dev.sluice.job.lab.inplace.InPlaceClassifier;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rules that change in place on the device: after each delta the answers are those of linear search
 * in the rules that are in force.
 */
final class UpdateCheck implements Check {
    private static final List<Algorithm> ALGORITHMS =
            Algorithm.all().stream()
                    .filter(algorithm -> algorithm.liveKernel().isPresent())
                    .toList();

    private static final int DELTAS = 20;
    private static final int BATCH = 8192;

    private final GpuDevice device;
    private final TestSet set;

    UpdateCheck(GpuDevice device, TestSet set) {
        this.device = device;
        this.set = set;
    }

    @Override
    public String run(Findings findings) {
        long lines = 0;
        for (Algorithm algorithm : ALGORITHMS) {
            InPlaceClassifier live = inPlace(algorithm);
            try (GpuInPlaceClassifier gpu = new GpuInPlaceClassifier(device, live)) {
                deltas(gpu, live, findings);
                lines += gpu.patchedLines();
            }
        }
        long repeated;
        InPlaceClassifier live = inPlace(Algorithm.of("hash-tree"));
        try (GpuInPlaceClassifier gpu = new GpuInPlaceClassifier(device, live)) {
            gpu.ruleByRule();
            deltas(gpu, live, findings);
            repeated = gpu.repeatedRules();
        }
        return "updates in place: %d deltas each by %,d lines of memory, %,d rules by hash-tree's own kernels, %,d wrong"
                .formatted(DELTAS, lines, repeated, findings.wrong());
    }

    private InPlaceClassifier inPlace(Algorithm algorithm) {
        RuleSet rules = set.rules();
        return new InPlaceClassifier(rules, rules.layout(), algorithm, CompileContext.DEFAULTS);
    }

    /** Deltas of up to 40 removals, each fifth of up to a third of all rules; some come back. */
    private void deltas(GpuInPlaceClassifier gpu, InPlaceClassifier live, Findings findings) {
        SplittableRandom random = new SplittableRandom(11);
        List<Rule> out = new ArrayList<>();
        for (int step = 0; step < DELTAS; step++) {
            List<Rule> in = live.rules();
            List<Long> removes = new ArrayList<>();
            List<Rule> inserts = new ArrayList<>();
            while (!out.isEmpty() && random.nextInt(3) > 0) {
                inserts.add(out.remove(random.nextInt(out.size())));
            }
            int most = Math.min(in.size(), 1 + (step % 5 == 4 ? in.size() / 3 : 40));
            for (int k = random.nextInt(most); k >= 0; k--) {
                Rule rule = in.get(random.nextInt(in.size()));
                if (!removes.contains(rule.id())) {
                    removes.add(rule.id());
                    out.add(rule);
                }
            }
            gpu.apply(new RuleDelta(removes, inserts));
            compare(gpu, live, step % (set.trace().size() / BATCH), findings);
        }
    }

    /** Compares the verdicts on one of the trace's batches. */
    private void compare(
            GpuInPlaceClassifier gpu, InPlaceClassifier live, int number, Findings findings) {
        HeaderBatch batch = set.trace().batches(live.layout(), BATCH).get(number);
        List<Rule> rules = live.rules();
        RuleSet now = RuleSet.inListOrder("now", 1, RuleSet.DROP, rules);
        Classifier linear = Engine.compile(now, EngineOptions.of(Algorithm.of("linear")));
        VerdictBatch expected = new VerdictBatch(batch.size());
        VerdictBatch verdicts = new VerdictBatch(batch.size());
        linear.classify(set.trace().batches(linear.layout(), BATCH).get(number), expected);
        gpu.classify(batch, verdicts);
        findings.compareIds(verdicts, expected, rules, batch.size());
    }
}
