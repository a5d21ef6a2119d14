package dev.sluice.lab.sets;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.generate.RuleGenerator;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.generate.TraceGenerator;
import dev.sluice.policy.ExpectedAnswers;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A rule set, headers for it and the answers.
 *
 * @param answers finds the position of each header's rule in the total order, -1 for none
 */
public record TestSet(String name, RuleSet rules, HeaderTrace trace, Supplier<int[]> answers) {
    /** Reads files; without a file of answers beside the trace, linear search gives them. */
    public static TestSet read(Path rulesFile, Path traceFile) {
        RuleFile file = RuleFile.read(rulesFile, null);
        RuleSet rules = file.toRuleSet("check", 1, RuleSet.DROP);
        HeaderTrace trace = HeaderTrace.read(traceFile);
        String text = String.valueOf(traceFile.getFileName());
        Path expect = traceFile.resolveSibling(text.replaceAll("\\.trace(\\.gz)?$", ".exp$1"));
        boolean known = !expect.equals(traceFile) && Files.exists(expect);
        return new TestSet(
                text.replaceAll("\\.trace(\\.gz)?$", ""),
                rules,
                trace,
                () ->
                        known
                                ? positions(file, rules, expect, trace.size())
                                : Answers.linear(rules, trace));
    }

    private static int[] positions(RuleFile file, RuleSet rules, Path expect, int headers) {
        Map<Integer, Integer> positionOfLine = new HashMap<>();
        for (int p = 0; p < rules.size(); p++) {
            positionOfLine.put(rules.rules().get(p).line(), p);
        }
        int[] expected = ExpectedAnswers.read(expect, headers);
        for (int i = 0; i < expected.length; i++) {
            if (expected[i] >= file.rules().size()) {
                throw new SluiceException(
                        expect + ":" + (i + 1) + ": names a rule that is not there");
            }
            if (expected[i] >= 0) {
                int line = file.rules().get(expected[i]).line();
                expected[i] = positionOfLine.getOrDefault(line, -1);
            }
        }
        return expected;
    }

    /** Generates rules and headers; linear search gives the answers. */
    public static TestSet generate(RuleShape shape, int count, int headers, long seed) {
        return generate(new RuleGenerator(shape, count, seed, 0.5), headers, 0.2);
    }

    /**
     * Generates rules and headers; linear search gives the answers.
     *
     * @param misses share of headers that are random or near misses
     */
    public static TestSet generate(RuleGenerator generator, int headers, double misses) {
        try (TemporaryDirectory folder = new TemporaryDirectory(TemporaryDirectory.parent())) {
            Path file = folder.path().resolve("rules");
            TextFiles.write(file, String.join("\n", generator.lines()) + "\n");
            RuleFile read = RuleFile.read(file, null);
            RuleSet rules = read.toRuleSet("generated", 1, RuleSet.DROP);
            Path to = folder.path().resolve("trace");
            HeaderTrace trace =
                    TraceGenerator.trace(read, rules, to, headers, misses, 0, generator.seed());
            return new TestSet(
                    generator.shape().label() + "_" + generator.count(),
                    rules,
                    trace,
                    () -> Answers.linear(rules, trace));
        }
    }

    /** Returns the position of each header's rule in the total order, -1 for none. */
    public int[] expected() {
        return answers.get();
    }

    /** The same under another name. */
    public TestSet withName(String other) {
        return new TestSet(other, rules, trace, answers);
    }
}
