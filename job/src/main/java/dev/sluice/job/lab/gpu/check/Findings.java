package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** The one comparison of verdicts with the right ones, which counts. Thread-safe. */
final class Findings {
    private final LongAdder compared = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final Queue<Unchecked> unchecked = new ConcurrentLinkedQueue<>();

    /** Something that was not checked, and why. */
    record Unchecked(String where, String what, String reason) {
        @Override
        public String toString() {
            return "%s: %s: %s".formatted(where, what, reason);
        }
    }

    long compared() {
        return compared.sum();
    }

    long wrong() {
        return wrong.sum();
    }

    /** What an exception says, on one line. */
    static String reason(RuntimeException e) {
        return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ");
    }

    /** Everything that was left out, in the order of the checks. */
    List<Unchecked> unchecked() {
        return List.copyOf(unchecked);
    }

    void add(long comparedVerdicts, long wrongVerdicts) {
        compared.add(comparedVerdicts);
        wrong.add(wrongVerdicts);
    }

    void add(Findings others) {
        add(others.compared(), others.wrong());
        unchecked.addAll(others.unchecked());
    }

    /**
     * Notes something that is not checked.
     *
     * @param where the rule set or the check
     * @param what an algorithm or a kernel
     * @param reason why, without line breaks
     */
    void leaveOut(String where, String what, String reason) {
        unchecked.add(new Unchecked(where, what, reason));
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
