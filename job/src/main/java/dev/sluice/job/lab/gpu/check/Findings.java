package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** The one comparison of verdicts with the right ones, which counts. Thread-safe. */
final class Findings {
    private final LongAdder compared = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder refused = new LongAdder();

    long compared() {
        return compared.sum();
    }

    long wrong() {
        return wrong.sum();
    }

    /** Images that algorithms refused to build. */
    long refused() {
        return refused.sum();
    }

    void add(long comparedVerdicts, long wrongVerdicts) {
        compared.add(comparedVerdicts);
        wrong.add(wrongVerdicts);
    }

    void add(Findings others) {
        add(others.compared(), others.wrong());
        refused.add(others.refused());
    }

    void refuse() {
        refused.increment();
    }

    /**
     * Compares the verdicts on a batch.
     *
     * @param expected position of each header's rule in the total order, -1 for none
     * @param from where the batch's first header stands in {@code expected}
     * @param count headers of the batch
     */
    void compare(VerdictBatch verdicts, int[] expected, int from, int count) {
        long differ = 0;
        for (int i = 0; i < count; i++) {
            differ += verdicts.rule(i) == expected[from + i] ? 0 : 1;
        }
        add(count, differ);
    }

    /**
     * Compares the verdicts of rules that change in place, which are named by their ids.
     *
     * @param expected positions among the rules
     * @param rules the rules in force, in their total order
     */
    void compareIds(VerdictBatch verdicts, VerdictBatch expected, List<Rule> rules, int count) {
        long differ = 0;
        for (int i = 0; i < count; i++) {
            boolean hit = verdicts.rule(i) >= 0;
            int position = expected.rule(i);
            boolean right =
                    position < 0 ? !hit : hit && verdicts.ids()[i] == rules.get(position).id();
            differ += right ? 0 : 1;
        }
        add(count, differ);
    }

    /** Classifies batches one after the other and compares all verdicts. */
    void check(Classifier classifier, List<HeaderBatch> batches, int[] expected) {
        VerdictBatch verdicts = new VerdictBatch(batches.get(0).capacity());
        int from = 0;
        for (HeaderBatch batch : batches) {
            classifier.classify(batch, verdicts);
            compare(verdicts, expected, from, batch.size());
            from += batch.size();
        }
    }
}
