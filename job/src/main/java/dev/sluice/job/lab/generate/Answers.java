package dev.sluice.job.lab.generate;

import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.HashMap;
import java.util.Map;

/** What a classifier answers on the headers of a trace. */
public final class Answers {
    private static final int BATCH = 4096;

    private Answers() {}

    /** For each header the position of its rule in the rule set's total order, or -1. */
    public static int[] positions(Classifier classifier, HeaderTrace trace) {
        int[] positions = new int[trace.size()];
        VerdictBatch verdicts = new VerdictBatch(BATCH);
        int at = 0;
        for (HeaderBatch batch : trace.batches(classifier.layout(), BATCH)) {
            classifier.classify(batch, verdicts);
            System.arraycopy(verdicts.rules(), 0, positions, at, batch.size());
            at += batch.size();
        }
        return positions;
    }

    /**
     * For each header the 0-based index of its rule among the file's rules, or -1.
     *
     * @param rules the file's rules in their total order, which the classifier was compiled from
     */
    public static int[] indexes(
            RuleFile file, RuleSet rules, Classifier classifier, HeaderTrace trace) {
        Map<Integer, Integer> indexOfLine = new HashMap<>();
        for (int i = 0; i < file.rules().size(); i++) {
            indexOfLine.put(file.rules().get(i).line(), i);
        }
        int[] answers = positions(classifier, trace);
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] != VerdictBatch.MISS) {
                int line = rules.rules().get(answers[i]).line();
                answers[i] = indexOfLine.getOrDefault(line, -1);
            }
        }
        return answers;
    }
}
