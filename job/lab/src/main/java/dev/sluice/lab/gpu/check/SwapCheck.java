package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.lab.kit.Workers;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;

/**
 * Versions of a rule set that come and go beside one under load: each batch is answered by the
 * version that it was handed to.
 */
final class SwapCheck implements Check {
    private static final int BATCH = 4096;
    private static final int READERS = 3;
    private static final long SPAN_NANOS = 1_500_000_000L;

    /** The versions have 1 to so many rules. */
    private static final int VERSION_SIZES = 50;

    private final GpuDevice device;
    private final TestSet set;
    private final OffloadMode mode;

    /**
     * A check.
     *
     * @param mode how the batches under load go to the device
     */
    SwapCheck(GpuDevice device, TestSet set, OffloadMode mode) {
        this.device = device;
        this.set = set;
        this.mode = mode;
    }

    @Override
    public String run(Findings findings) throws InterruptedException {
        Findings underLoad = new Findings();
        int swaps = 0;
        Classifier cpu =
                Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("merged-tuple")));
        List<HeaderBatch> batches = set.trace().batches(cpu.layout(), BATCH);
        GpuClassifier first = new GpuClassifier(device, cpu);
        first.offloadMode(mode);
        Workers readers = new Workers("batches under load failed");
        for (int t = 0; t < READERS; t++) {
            readers.start(
                    "reader " + t,
                    () -> {
                        while (!readers.stopped()) {
                            underLoad.check(first, batches, set.expected());
                        }
                    });
        }
        long end = System.nanoTime() + SPAN_NANOS;
        while (System.nanoTime() < end) {
            comeAndGo(swaps, findings);
            swaps++;
        }
        readers.stop();
        first.close();
        findings.add(underLoad);
        return "swaps under load (%s): %,d versions came and went beside %,d verdicts, %,d wrong"
                .formatted(mode.describe(), swaps, underLoad.compared(), findings.wrong());
    }

    /** A version of a few rules, which answers one batch. */
    private void comeAndGo(int version, Findings findings) {
        int keep = Math.min(1 + version % VERSION_SIZES, set.rules().size());
        RuleSet other =
                RuleSet.of("other", version, RuleSet.DROP, set.rules().rules().subList(0, keep));
        try (GpuClassifier gpu =
                new GpuClassifier(
                        device,
                        Engine.compile(other, EngineOptions.of(Algorithm.of("merged-tuple"))))) {
            VerdictBatch verdicts = new VerdictBatch(BATCH);
            HeaderBatch batch = set.trace().batches(gpu.layout(), BATCH).get(0);
            gpu.classify(batch, verdicts);
            VerdictBatch expected = new VerdictBatch(BATCH);
            Engine.compile(other, EngineOptions.of(Algorithm.of("linear")))
                    .classify(batch, expected);
            findings.compare(verdicts.rules(), expected.rules(), batch.size());
        }
    }
}
