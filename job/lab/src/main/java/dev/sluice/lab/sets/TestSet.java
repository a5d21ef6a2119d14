package dev.sluice.lab.sets;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.lab.generate.Answers;
import dev.sluice.lab.generate.MaskCounts;
import dev.sluice.lab.generate.RuleGenerator;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.generate.TraceGenerator;
import dev.sluice.policy.ExpectedAnswers;
import dev.sluice.policy.HeaderTrace;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule set, headers for it and the answers.
 *
 * @param expected position of each header's rule in the total order, -1 for none
 */
public record TestSet(String name, RuleSet rules, HeaderTrace trace, int[] expected) {
    /** Reads files; without a file of answers, linear search gives them. */
    public static TestSet read(Path rulesFile, Path traceFile, @Nullable Path expectFile) {
        RuleFile file = RuleFile.read(rulesFile, null);
        RuleSet rules = file.toRuleSet("check", 1, RuleSet.DROP);
        HeaderTrace trace = HeaderTrace.read(traceFile);
        String name = String.valueOf(traceFile.getFileName()).replaceAll("\\.trace(\\.gz)?$", "");
        if (expectFile == null) {
            return new TestSet(name, rules, trace, Answers.linear(rules, trace));
        }
        Map<Integer, Integer> positionOfLine = new HashMap<>();
        for (int p = 0; p < rules.size(); p++) {
            positionOfLine.put(rules.rules().get(p).line(), p);
        }
        int[] expected = ExpectedAnswers.read(expectFile, trace.size());
        for (int i = 0; i < expected.length; i++) {
            if (expected[i] >= file.rules().size()) {
                throw new SluiceException(
                        expectFile + ":" + (i + 1) + ": names a rule that is not there");
            }
            if (expected[i] >= 0) {
                int line = file.rules().get(expected[i]).line();
                expected[i] = positionOfLine.getOrDefault(line, -1);
            }
        }
        return new TestSet(name, rules, trace, expected);
    }

    /** Generates rules and headers; linear search gives the answers. */
    public static TestSet generate(RuleShape shape, int count, int headers, long seed) {
        MaskCounts maskCounts =
                new MaskCounts(Math.max(1, count / 16), Math.max(1, count / 64), 12);
        return generate(
                shape.name().toLowerCase(Locale.ROOT) + "_" + count,
                new RuleGenerator(shape, count, seed, maskCounts, 0.5),
                headers,
                0.2,
                seed,
                true);
    }

    /**
     * Generates rules and headers.
     *
     * @param misses share of headers that are random or near misses
     * @param answered whether linear search gives the answers; else there are none
     */
    public static TestSet generate(
            String name,
            RuleGenerator generator,
            int headers,
            double misses,
            long seed,
            boolean answered) {
        try (TemporaryDirectory folder = new TemporaryDirectory(TemporaryDirectory.parent())) {
            Path file = folder.path().resolve("rules");
            TextFiles.write(file, String.join("\n", generator.lines()) + "\n");
            RuleFile read = RuleFile.read(file, null);
            RuleSet rules = read.toRuleSet("generated", 1, RuleSet.DROP);
            Path to = folder.path().resolve("trace");
            HeaderTrace trace = TraceGenerator.trace(read, rules, to, headers, misses, 0, seed);
            int[] expected = answered ? Answers.linear(rules, trace) : new int[0];
            return new TestSet(name, rules, trace, expected);
        }
    }

    /** The same under another name. */
    public TestSet withName(String other) {
        return new TestSet(other, rules, trace, expected);
    }
}
