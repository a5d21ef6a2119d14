package dev.sluice.job.lab.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.bench.EngineBench;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Generated rule sets are the same for a seed, are read, and are answered alike by all algorithms.
 */
class GeneratedRulesTest {
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
        int[] expected = answers(rules, headers, Algorithm.of("linear"));
        int served = 0;
        for (Algorithm algorithm : Algorithm.all()) {
            int[] answers;
            try {
                answers = answers(rules, headers, algorithm);
            } catch (UnsupportedRulesException | MemoryBudgetException e) {
                assertTrue(algorithm.capabilities().mayRefuse(), e.getMessage());
                continue;
            }
            served++;
            assertArrayEquals(expected, answers, shape + " by " + algorithm.label());
        }
        assertTrue(served >= 8);
        boolean routes = shape == RuleShape.ROUTES || shape == RuleShape.ROUTES6;
        if (routes) {
            assertArrayEquals(expected, answers(rules, headers, Algorithm.of("routes")));
        }
    }

    private static int[] answers(RuleFile rules, HeaderTrace headers, Algorithm algorithm) {
        EngineOptions options = EngineOptions.of(algorithm).withBudget(96L << 20);
        try (EngineBench bench = new EngineBench(rules, options.withGpu(GpuPool.Selection.OFF))) {
            return bench.answers(headers);
        }
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
