package dev.sluice.job.lab.bench;

import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.rules.EditLine;
import dev.sluice.job.rules.RuleContent;
import dev.sluice.job.rules.RuleEdit;
import dev.sluice.job.rules.RuleEdits;
import dev.sluice.operators.rules.RuleSetMessages;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.RuleChange.Kind;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * CPU time of what a publisher does with a line that it follows, without Kafka: each part alone,
 * after warming up, in the calling thread. The time of that thread is measured, so that other work
 * on the machine counts little.
 */
final class FollowStages {
    private static final int WARM_UP = 3;
    private static final int ROUNDS = 5;
    private static final int TRANSACTIONS = 100;
    private static final int EDITS = 1_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /**
     * CPU time a change in microseconds, medians of five rounds of 100 transactions of 1,000.
     *
     * @param parse a line of JSON and the rule in it
     * @param apply the change of the rules that the publisher holds
     * @param encode the messages of the transaction
     */
    record Result(double parse, double apply, double encode) {}

    private long parseNanos;
    private long applyNanos;
    private long encodeNanos;

    private FollowStages() {}

    /** Measures changes of a file's rules. */
    static Result measure(RuleFile rules) throws IOException {
        List<Rule> placed = RuleSet.of("bench", 1, RuleSet.DROP, rules.rules()).rules();
        double[] parse = new double[ROUNDS];
        double[] apply = new double[ROUNDS];
        double[] encode = new double[ROUNDS];
        for (int r = -WARM_UP; r < ROUNDS; r++) {
            FollowStages round = new FollowStages();
            round.run(new EditLines(rules.rules()), new RuleContent(placed));
            if (r >= 0) {
                parse[r] = round.parseNanos / 1e3 / (TRANSACTIONS * EDITS);
                apply[r] = round.applyNanos / 1e3 / (TRANSACTIONS * EDITS);
                encode[r] = round.encodeNanos / 1e3 / (TRANSACTIONS * EDITS);
            }
        }
        return new Result(median(parse), median(apply), median(encode));
    }

    private void run(EditLines lines, RuleContent content) throws IOException {
        RuleEdits edits = new RuleEdits(content);
        edits.apply(EditLine.parse(lines.next())); // makes what finds rules by their texts
        edits.apply(EditLine.parse(lines.next()));
        edits.apply(EditLine.parse(lines.next()));
        for (long version = 2; version < TRANSACTIONS + 2; version++) {
            List<String> texts = new ArrayList<>(EDITS);
            for (int i = 0; i < EDITS; i++) {
                texts.add(lines.next());
            }
            long start = THREADS.getCurrentThreadCpuTime();
            List<RuleEdit> parsed = new ArrayList<>(EDITS);
            texts.forEach(text -> parsed.add(EditLine.parse(text)));
            long atParsed = THREADS.getCurrentThreadCpuTime();
            parsed.forEach(edits::apply);
            RuleDelta delta = edits.take();
            long atApplied = THREADS.getCurrentThreadCpuTime();
            RuleChange begin =
                    RuleChange.begin(
                            "bench",
                            "bench",
                            version,
                            version - 1,
                            null,
                            Kind.DELTA,
                            "bench",
                            RuleSet.DROP);
            RuleSetMessages.delta(begin, delta);
            encodeNanos += THREADS.getCurrentThreadCpuTime() - atApplied;
            applyNanos += atApplied - atParsed;
            parseNanos += atParsed - start;
        }
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
