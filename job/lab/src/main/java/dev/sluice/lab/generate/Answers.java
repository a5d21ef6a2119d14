package dev.sluice.lab.generate;

import dev.sluice.engine.Engine;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** Answers of a classifier on the headers of a trace. */
public final class Answers {
    private static final int BATCH = 4096;

    private Answers() {}

    /** For each header the position of its rule in the rule set's total order, or -1. */
    public static int[] positions(Classifier classifier, HeaderTrace trace) {
        return positions(classifier.layout(), classifier::classify, trace);
    }

    private static int[] positions(
            HeaderLayout layout, BiConsumer<HeaderBatch, VerdictBatch> lookUp, HeaderTrace trace) {
        int[] positions = new int[trace.size()];
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        int at = 0;
        for (HeaderBatch batch : trace.batches(layout, BATCH)) {
            lookUp.accept(batch, verdicts);
            System.arraycopy(verdicts.rules(), 0, positions, at, batch.size());
            at += batch.size();
        }
        return positions;
    }

    /**
     * For each header the 0-based index of its rule among a file's rules, or -1.
     *
     * @param engine has the file's rules in force
     */
    public static int[] indexes(RuleFile file, Engine engine, HeaderTrace trace) {
        RuleSet rules = engine.current().rules();
        Map<Integer, Integer> indexOfLine = new HashMap<>();
        for (int i = 0; i < file.rules().size(); i++) {
            indexOfLine.put(file.rules().get(i).line(), i);
        }
        int[] answers = positions(engine.current().layout(), engine::classify, trace);
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] != VerdictBatch.MISS) {
                int line = rules.rules().get(answers[i]).line();
                answers[i] = indexOfLine.getOrDefault(line, -1);
            }
        }
        return answers;
    }
}
