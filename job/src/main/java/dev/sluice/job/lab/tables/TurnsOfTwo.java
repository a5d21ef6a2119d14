package dev.sluice.job.lab.tables;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Two classifiers of the same rules on the same headers, in turns on one thread, by the CPU time
 * that it takes: what else the machine does takes caches from both alike, and no turns.
 */
final class TurnsOfTwo {
    private static final int BATCH = 4096;
    private static final int BATCHES = 48;
    private static final long SEED = 5;

    private final Classifier[] contenders;
    private final List<HeaderBatch> batches = new ArrayList<>();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    /**
     * Rates of both.
     *
     * @param first M headers a second of the first one, median of the rounds
     * @param second the same of the second one
     * @param ratio median of the rounds' ratios, the second over the first
     * @param wrong headers of which the two say different rules
     */
    record Result(double first, double second, double ratio, long wrong) {}

    /** Two look-ups of rules. */
    TurnsOfTwo(RuleSet rules, Classifier first, Classifier second) {
        contenders = new Classifier[] {first, second};
        SampleHeaders headers = new SampleHeaders(rules, SEED);
        for (int b = 0; b < BATCHES; b++) {
            batches.add(headers.batch(rules.layout(), BATCH));
        }
    }

    /**
     * Measures.
     *
     * @param rounds each with a turn of either
     * @param millis CPU time of a turn
     */
    Result measure(int rounds, int millis) {
        long wrong = differences();
        turns(2, millis); // warms up
        double[][] rates = turns(rounds, millis);
        double[] ratios = new double[rounds];
        Arrays.setAll(ratios, r -> rates[1][r] / rates[0][r]);
        return new Result(median(rates[0]), median(rates[1]), median(ratios), wrong);
    }

    private double[][] turns(int rounds, int millis) {
        double[][] rates = new double[contenders.length][rounds];
        for (int r = 0; r < rounds; r++) {
            for (int c = 0; c < contenders.length; c++) {
                rates[c][r] = turn(contenders[c], millis * 1_000_000L);
            }
        }
        return rates;
    }

    private double turn(Classifier classifier, long nanos) {
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        long start = threads.getCurrentThreadCpuTime();
        long headers = 0;
        long elapsed;
        do {
            for (HeaderBatch batch : batches) {
                classifier.classify(batch, verdicts);
                headers += batch.size();
            }
            elapsed = threads.getCurrentThreadCpuTime() - start;
        } while (elapsed < nanos);
        return headers * 1e3 / elapsed;
    }

    private long differences() {
        VerdictBatch one = new VerdictBatch(BATCH);
        VerdictBatch other = new VerdictBatch(BATCH);
        long wrong = 0;
        for (HeaderBatch batch : batches) {
            contenders[0].classify(batch, one);
            contenders[1].classify(batch, other);
            for (int i = 0; i < batch.size(); i++) {
                wrong += one.rule(i) == other.rule(i) ? 0 : 1;
            }
        }
        return wrong;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}
