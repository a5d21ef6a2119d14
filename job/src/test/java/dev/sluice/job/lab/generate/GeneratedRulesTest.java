package dev.sluice.job.lab.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.CompileOptions;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.bench.EngineBench;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Generated rule sets are the same for a seed, are read, and are answered alike by all algorithms.
 */
class GeneratedRulesTest {
    /** These may refuse a shape by name. */
    private static final Set<Algorithm> MAY_REFUSE =
            EnumSet.of(
                    Algorithm.BITVECTOR,
                    Algorithm.PAIRS,
                    Algorithm.RFC,
                    Algorithm.BITMAP_RFC,
                    Algorithm.ROUTES);

    private static RuleGenerator generator(RuleShape shape, int count) {
        return new RuleGenerator(shape, count, 7, new RuleGenerator.Classes(40, 5, 6, 12), 0.5);
    }

    @ParameterizedTest
    @EnumSource(RuleShape.class)
    void everyShapeIsReadAndAnsweredAlike(RuleShape shape, @TempDir Path folder) throws Exception {
        List<String> lines = generator(shape, 400).lines();
        assertEquals(lines, generator(shape, 400).lines());
        assertTrue(lines.size() > 300, lines.size() + " rules");
        Path file = folder.resolve("rules");
        Files.write(file, lines);
        RuleFile rules = RuleFile.read(file, null);
        RuleSet set = rules.toRuleSet("generated", 1, RuleSet.DROP);
        Path trace = folder.resolve("trace");
        try (Writer out = Files.newBufferedWriter(trace)) {
            new TraceGenerator(set, lines.get(0).startsWith("priority="), 0.5, 0.2, 3)
                    .write(out, 3000);
        }
        HeaderTrace headers = HeaderTrace.read(trace);
        assertEquals(3000, headers.size());
        int[] expected = answers(rules, headers, Algorithm.LINEAR);
        int served = 0;
        for (Algorithm algorithm : Algorithm.values()) {
            int[] answers;
            try {
                answers = answers(rules, headers, algorithm);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                assertTrue(MAY_REFUSE.contains(algorithm), e.getMessage());
                continue;
            }
            served++;
            assertArrayEquals(expected, answers, shape + " by " + algorithm.label());
        }
        assertTrue(served >= 8);
        boolean routes = shape == RuleShape.ROUTES || shape == RuleShape.ROUTES6;
        if (routes) {
            assertArrayEquals(expected, answers(rules, headers, Algorithm.ROUTES));
        }
    }

    private static int[] answers(RuleFile rules, HeaderTrace headers, Algorithm algorithm) {
        CompileOptions options = CompileOptions.of(algorithm).withBudget(96L << 20);
        return new EngineBench(rules, options, 0, "off").answers(headers);
    }

    @Test
    void contradictoryNumbersAreRefused() {
        assertThrows(
                SluiceException.class,
                () ->
                        new RuleGenerator(
                                RuleShape.CLASSES,
                                10,
                                1,
                                new RuleGenerator.Classes(20, 5, 1, 5),
                                0.5));
        assertThrows(SluiceException.class, () -> generator(RuleShape.ACL, 0));
    }
}
