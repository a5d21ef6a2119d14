package dev.sluice.engine.choice;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/**
 * Rates on one core: the best of some rounds, in turns and after all are warm, so that neither a
 * disturbance nor the order decides. Where the JIT is still at work, most of all where it shares
 * the core with what is measured, it is given the core until it rests, and rates rise from round to
 * round: rounds go on until neither happens, up to a limit. An algorithm that was measured before
 * is warm but for its caches. Not thread-safe: one instance a calibration.
 */
final class CpuRates implements RateMeter {
    private static final int BATCH = 4096;

    /** Different batches: one again and again would find all that it reads in the caches. */
    private static final int BATCHES = 8;

    private static final long WARM_UP_NANOS = 60_000_000L;
    private static final long WARM_AGAIN_NANOS = 20_000_000L;
    private static final long ROUND_NANOS = 8_000_000L;

    /** Rounds with the JIT at rest and no rate that rises clearly, after which they are taken. */
    private static final int ROUNDS = 8;

    private static final int MOST_ROUNDS = 24;

    /** A rate rises clearly if it is so many times what it last rose to. */
    private static final double CLEARLY = 1.1;

    /**
     * A calibration waits for the JIT so long, and where that is over so long each time that it
     * measures: in a job it may have more to do, and on a busy machine it takes longer.
     */
    private static final long REST_NANOS = 2_000_000_000L;

    private static final long REST_AGAIN_NANOS = 500_000_000L;

    /** A run takes so many times as long at most, where it does not get a core. */
    private static final int MOST_TIMES_WAITED = 10;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final IdentityHashMap<RuleSet, Sample> samples = new IdentityHashMap<>();

    /** Classifiers whose code is warm. */
    private final Set<Class<?>> measured = new HashSet<>();

    private final Run run;
    private final LongUnaryOperator rest;
    private long restLeft = REST_NANOS;

    /** Looks a sample up again and again for some nanoseconds. */
    interface Run {
        /** M headers a second. */
        double rate(Classifier classifier, Sample sample, long nanos);
    }

    /** Headers made from rules, batch by batch and over again, and room for their verdicts. */
    static final class Sample {
        private final HeaderBatch[] batches = new HeaderBatch[BATCHES];
        private final VerdictBatch verdicts = new VerdictBatch(BATCH);
        private int next;

        Sample(RuleSet rules) {
            SampleHeaders headers = new SampleHeaders(rules, 1);
            for (int b = 0; b < batches.length; b++) {
                batches[b] = headers.batch(rules.layout(), BATCH);
            }
        }

        /** Looks a batch up; returns its headers. */
        int look(Classifier classifier) {
            HeaderBatch batch = batches[next];
            next = (next + 1) % batches.length;
            classifier.classify(batch, verdicts);
            return batch.size();
        }
    }

    /** Rates by the thread's time on a core, so that waiting for one does not lower them. */
    CpuRates() {
        this(CpuRates::look, JitThreads::rest);
    }

    /**
     * Rates by something else.
     *
     * @param rest waits for the JIT for some nanoseconds at most, and tells how many it took
     */
    CpuRates(Run run, LongUnaryOperator rest) {
        this.run = run;
        this.rest = rest;
    }

    @Override
    public double[] rates(RuleSet rules, List<Classifier> classifiers) {
        Sample sample = samples.computeIfAbsent(rules, Sample::new);
        restLeft = Math.max(restLeft, REST_AGAIN_NANOS);
        for (Classifier classifier : classifiers) {
            long warmUp = measured.add(classifier.getClass()) ? WARM_UP_NANOS : WARM_AGAIN_NANOS;
            run.rate(classifier, sample, warmUp);
        }
        double[] best = new double[classifiers.size()];
        double[] risen = new double[best.length];
        int steady = 0;
        for (int r = 0; r < MOST_ROUNDS && steady < ROUNDS; r++) {
            steady = rested() ? steady + 1 : 0;
            for (int c = 0; c < best.length; c++) {
                double rate = run.rate(classifiers.get(c), sample, ROUND_NANOS);
                if (rate > CLEARLY * risen[c]) {
                    risen[c] = rate;
                    steady = 0;
                }
                best[c] = Math.max(best[c], rate);
            }
        }
        return best;
    }

    /** Waits for the JIT; returns whether it was at rest. */
    private boolean rested() {
        long waited = rest.applyAsLong(restLeft);
        restLeft = Math.max(0, restLeft - waited);
        return waited == 0;
    }

    /** M headers a second. */
    @Override
    public String text(double rate) {
        return String.format(Locale.ROOT, "%.1f", rate);
    }

    private static double look(Classifier classifier, Sample sample, long nanos) {
        boolean ofThread = threadIsTimed();
        long wall = System.nanoTime();
        long start = ofThread ? THREADS.getCurrentThreadCpuTime() : wall;
        long headers = 0;
        long elapsed;
        long waited;
        do {
            headers += sample.look(classifier);
            waited = System.nanoTime() - wall;
            elapsed = ofThread ? THREADS.getCurrentThreadCpuTime() - start : waited;
        } while (elapsed < nanos && waited < MOST_TIMES_WAITED * nanos);
        return headers * 1e3 / Math.max(1, elapsed);
    }

    /** Returns whether the JVM tells how long a thread was on a core, and nobody told it not to. */
    private static boolean threadIsTimed() {
        return THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();
    }
}
