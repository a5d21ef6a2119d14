package dev.sluice.engine;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Rates on one core: the best of a few rounds, in turns and after all are warm, so that neither a
 * disturbance nor the order decides. What was measured before is warm but for its caches. Not
 * thread-safe: one instance a calibration.
 */
final class CpuRates implements RateMeter {
    private static final int SAMPLE = 4096;
    private static final long WARM_UP_NANOS = 150_000_000L;
    private static final long WARM_AGAIN_NANOS = 20_000_000L;
    private static final long ROUND_NANOS = 8_000_000L;
    private static final int ROUNDS = 8;

    private final Set<Classifier> measured = Collections.newSetFromMap(new IdentityHashMap<>());

    @Override
    public double[] rates(RuleSet rules, List<Classifier> classifiers) {
        HeaderBatch sample = new SampleHeaders(rules, 1).batch(rules.layout(), SAMPLE);
        VerdictBatch verdicts = new VerdictBatch(sample.capacity());
        for (Classifier classifier : classifiers) {
            long warmUp = measured.add(classifier) ? WARM_UP_NANOS : WARM_AGAIN_NANOS;
            run(classifier, sample, verdicts, warmUp);
        }
        double[] best = new double[classifiers.size()];
        for (int r = 0; r < ROUNDS; r++) {
            for (int c = 0; c < best.length; c++) {
                double rate = run(classifiers.get(c), sample, verdicts, ROUND_NANOS);
                best[c] = Math.max(best[c], rate);
            }
        }
        return best;
    }

    /** M headers a second. */
    @Override
    public String text(double rate) {
        return String.format(Locale.ROOT, "%.1f", rate);
    }

    private static double run(
            Classifier classifier, HeaderBatch sample, VerdictBatch verdicts, long nanos) {
        long start = System.nanoTime();
        long headers = 0;
        long elapsed;
        do {
            classifier.classify(sample, verdicts);
            headers += sample.size();
            elapsed = System.nanoTime() - start;
        } while (elapsed < nanos);
        return headers * 1e3 / elapsed;
    }
}
