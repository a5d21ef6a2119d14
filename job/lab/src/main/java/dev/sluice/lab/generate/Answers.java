package dev.sluice.lab.generate;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Answers to the headers of a trace. A position is that of a rule in the rule set's total order, an
 * index that of a rule among a file's rules, both 0-based, -1 for none.
 */
public final class Answers {
    private static final int BATCH = 4096;

    private Answers() {}

    /** Returns the positions that linear search finds. */
    public static int[] linear(RuleSet rules, HeaderTrace trace) {
        return positions(Engine.compile(rules, EngineOptions.of(Algorithm.of("linear"))), trace);
    }

    /** Returns the positions that a classifier finds. */
    public static int[] positions(Classifier classifier, HeaderTrace trace) {
        return positions(classifier.layout(), classifier::classify, trace);
    }

    /** Returns the positions that a look-up finds. */
    public static int[] positions(
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

    /** Returns the indexes of rules at positions. */
    public static int[] indexes(RuleFile file, RuleSet rules, int[] positions) {
        Map<Integer, Integer> indexOfLine = new HashMap<>();
        for (int i = 0; i < file.rules().size(); i++) {
            indexOfLine.put(file.rules().get(i).line(), i);
        }
        return Arrays.stream(positions)
                .map(p -> p < 0 ? -1 : indexOfLine.getOrDefault(rules.rules().get(p).line(), -1))
                .toArray();
    }

    /** Returns the text of a file of answers: an index a line. */
    public static String text(int[] indexes) {
        return Arrays.stream(indexes).mapToObj(index -> index + "\n").collect(Collectors.joining());
    }
}
