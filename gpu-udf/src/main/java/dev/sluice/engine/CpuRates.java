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
 * Rates on one core: the best of some rounds, in turns and after all are warm, so that neither a
 * disturbance nor the order decides. Where the JIT is still at work, most of all where it shares
 * the core with what is measured, rates rise from round to round: rounds go on until none does, up
 * to a limit. What was measured before is warm but for its caches. Not thread-safe: one instance a
 * calibration.
 */
final class CpuRates implements RateMeter {
    private static final int SAMPLE = 4096;
    private static final long WARM_UP_NANOS = 150_000_000L;
    private static final long WARM_AGAIN_NANOS = 20_000_000L;
    private static final long ROUND_NANOS = 8_000_000L;

    /** Rounds without a rate that rises clearly, after which the rates are taken. */
    private static final int ROUNDS = 8;

    private static final int MOST_ROUNDS = 32;

    /** A rate rises clearly if it is so many times what it last rose to. */
    private static final double CLEARLY = 1.1;

    private final Set<Classifier> measured = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Run run;

    /** Looks a sample up again and again for some nanoseconds. */
    interface Run {
        /** M headers a second. */
        double rate(Classifier classifier, HeaderBatch sample, VerdictBatch verdicts, long nanos);
    }

    /** Rates by the clock on the wall. */
    CpuRates() {
        this(CpuRates::look);
    }

    /** Rates by something else. */
    CpuRates(Run run) {
        this.run = run;
    }

    @Override
    public double[] rates(RuleSet rules, List<Classifier> classifiers) {
        HeaderBatch sample = new SampleHeaders(rules, 1).batch(rules.layout(), SAMPLE);
        VerdictBatch verdicts = new VerdictBatch(sample.capacity());
        for (Classifier classifier : classifiers) {
            long warmUp = measured.add(classifier) ? WARM_UP_NANOS : WARM_AGAIN_NANOS;
            run.rate(classifier, sample, verdicts, warmUp);
        }
        double[] best = new double[classifiers.size()];
        double[] risen = new double[best.length];
        int steady = 0;
        for (int r = 0; r < MOST_ROUNDS && steady < ROUNDS; r++) {
            steady++;
            for (int c = 0; c < best.length; c++) {
                double rate = run.rate(classifiers.get(c), sample, verdicts, ROUND_NANOS);
                if (rate > CLEARLY * risen[c]) {
                    risen[c] = rate;
                    steady = 0;
                }
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

    private static double look(
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
