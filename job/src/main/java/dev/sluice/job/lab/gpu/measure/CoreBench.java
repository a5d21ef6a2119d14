package dev.sluice.job.lab.gpu.measure;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Times look-ups on cores of the CPU, every one with batches of its own. */
final class CoreBench {
    static final int BATCH = 4096;
    private static final long WARM_UP_NANOS = 500_000_000L;
    private static final long SPAN_NANOS = 500_000_000L;

    private CoreBench() {}

    /** Million headers a second of so many threads together. */
    static double rate(Classifier classifier, HeaderTrace trace, int threads) {
        List<HeaderBatch> batches = trace.batches(classifier.layout(), BATCH);
        AtomicLong headers = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        long start = System.nanoTime();
        for (int t = 0; t < threads; t++) {
            int first = t;
            all.add(
                    new Thread(
                            () -> {
                                VerdictBatch verdicts = new VerdictBatch(BATCH);
                                long mine = 0;
                                long now = System.nanoTime();
                                for (int b = first; now - start < WARM_UP_NANOS + SPAN_NANOS; b++) {
                                    HeaderBatch batch = batches.get(b % batches.size());
                                    classifier.classify(batch, verdicts);
                                    now = System.nanoTime();
                                    mine += now - start > WARM_UP_NANOS ? batch.size() : 0;
                                }
                                headers.addAndGet(mine);
                            }));
        }
        all.forEach(Thread::start);
        try {
            for (Thread thread : all) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the measurement was interrupted", e);
        }
        return headers.get() * 1e3 / SPAN_NANOS;
    }
}
