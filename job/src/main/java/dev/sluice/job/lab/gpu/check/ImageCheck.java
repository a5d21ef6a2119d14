package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Images that come, get one batch at once and go, by several threads: the batch right behind an
 * image finds all of it on the device.
 */
final class ImageCheck implements Check {
    private static final int THREADS = 4;
    private static final int IMAGES_A_THREAD = 8;
    private static final int BATCH = 512;
    private static final long SPAN_NANOS = 2_000_000_000L;

    /** What verdicts hold before a kernel writes them: no rule's position. */
    private static final int UNWRITTEN = 0x5eed;

    private final GpuDevice device;
    private final TestSet set;

    ImageCheck(GpuDevice device, TestSet set) {
        this.device = device;
        this.set = set;
    }

    /** A rule set's classifier, a batch, and the answers of linear search. */
    private record Asked(Classifier classifier, HeaderBatch batch, int[] expected) {}

    @Override
    public String run(Findings findings) throws InterruptedException {
        AtomicLong images = new AtomicLong();
        List<Callable<Boolean>> threads = new ArrayList<>();
        List<Rule> rules = set.rules().rules();
        for (int t = 0; t < THREADS; t++) {
            List<Asked> own = new ArrayList<>();
            for (int k = t; k < THREADS * IMAGES_A_THREAD; k += THREADS) {
                own.add(asked(rules.subList(0, 1 + k * rules.size() / 64)));
            }
            threads.add(
                    () -> {
                        comeAndGo(own, images, findings);
                        return true;
                    });
        }
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<Boolean> done : pool.invokeAll(threads)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("an image that came was not served", e.getCause());
        } finally {
            pool.shutdown();
        }
        return "images come and go: %,d images, a batch right behind each, %,d wrong"
                .formatted(images.get(), findings.wrong());
    }

    private Asked asked(List<Rule> some) {
        RuleSet rules = RuleSet.of("some", 1, RuleSet.DROP, some);
        Classifier classifier =
                Engine.compile(rules, EngineOptions.of(Algorithm.of("merged-tuple")));
        HeaderBatch batch = set.trace().batches(classifier.layout(), BATCH).get(0);
        VerdictBatch expected = new VerdictBatch(BATCH);
        Engine.compile(rules, EngineOptions.of(Algorithm.of("linear"))).classify(batch, expected);
        return new Asked(classifier, batch, expected.rules());
    }

    private void comeAndGo(List<Asked> all, AtomicLong images, Findings findings) {
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        long end = System.nanoTime() + SPAN_NANOS;
        while (System.nanoTime() < end) {
            for (Asked asked : all) {
                try (GpuClassifier gpu = new GpuClassifier(device, asked.classifier)) {
                    Arrays.fill(verdicts.rules(), UNWRITTEN);
                    gpu.classify(asked.batch, verdicts);
                    findings.compare(verdicts, asked.expected, 0, asked.batch.size());
                    findings.add(0, gpu.fallBacks());
                }
                images.incrementAndGet();
            }
        }
    }
}
