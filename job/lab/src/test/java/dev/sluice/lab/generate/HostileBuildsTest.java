package dev.sluice.lab.generate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.image.BuildMeter;
import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Builds of hostile rules end within their budget of bytes and of work, or are refused by it. */
class HostileBuildsTest {
    private static final long BUDGET = 8L << 20;
    private static final int HEADERS = 1000;

    /** Words of the last step that a build counts: one row of a table of classes. */
    private static final long STEP = 1L << 26;

    @TempDir private Path folder;

    private RuleSet rules(HostilePattern pattern, int count) throws IOException {
        Path file = folder.resolve(pattern + ".rules");
        RandomParts parts = new RandomParts(new SplittableRandom(TestSeed.of(1)));
        Files.write(file, new HostileRules(parts, pattern).lines(count));
        return RuleFile.read(file, null).toRuleSet("hostile", 1, RuleSet.DROP);
    }

    /** A context in which algorithms that pass rules on choose no algorithm. */
    private static CompileContext context(Algorithm algorithm, long budget) {
        AlgorithmOptions options = AlgorithmOptions.DEFAULTS;
        for (AlgorithmOption<?> option : algorithm.options()) {
            if (options.get(option) instanceof AlgorithmChoice) {
                options = options.withParsed(option, "merged-tuple");
            }
        }
        return context(budget, options);
    }

    private static CompileContext context(long budget, AlgorithmOptions options) {
        return new Compiler(CompileOptions.DEFAULTS.withBudget(budget).withTuning(options))
                .context();
    }

    private static int[] answers(Classifier classifier, HeaderBatch headers) {
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        classifier.classify(headers, verdicts);
        return Arrays.copyOf(verdicts.rules(), headers.size());
    }

    @ParameterizedTest
    @EnumSource(HostilePattern.class)
    void everyAlgorithmAnswersRightOrRefusesWithinItsBudget(HostilePattern pattern)
            throws IOException {
        RuleSet rules = rules(pattern, 600);
        assertEquals(600, rules.size());
        HeaderBatch headers = new SampleHeaders(rules, 3).batch(rules.layout(), HEADERS);
        Algorithm linear = Algorithm.of("linear");
        int[] expected =
                answers(
                        linear.open(
                                linear.compile(rules, context(BUDGET, AlgorithmOptions.DEFAULTS))),
                        headers);
        for (Algorithm algorithm : Algorithm.all()) {
            String what = algorithm + " on " + pattern;
            List<BuildMeter> meters = new ArrayList<>();
            CompileContext context = context(algorithm, BUDGET).watching(meters::add);
            try {
                Image image = algorithm.compile(rules, context);
                assertTrue(image.bytes() <= BUDGET, () -> what + ": " + image.bytes());
                assertArrayEquals(expected, answers(algorithm.open(image), headers), what);
            } catch (MemoryBudgetException e) {
                String message = String.valueOf(e.getMessage());
                assertTrue(message.contains("raise --memory-budget"), message);
            } catch (UnsupportedRulesException e) {
                assertTrue(String.valueOf(e.getMessage()).contains("cannot serve"), what);
            }
            for (BuildMeter meter : meters) {
                assertTrue(meter.peakBytes() <= BUDGET, () -> what + ": " + meter.peakBytes());
                assertTrue(
                        meter.words() <= BuildMeter.mostWords(BUDGET) + STEP,
                        () -> what + ": " + meter.words() + " words");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(HostilePattern.class)
    void whatReductionTreesAllocateIsBoundedByTheirBudget(HostilePattern pattern)
            throws IOException {
        RuleSet rules = rules(pattern, 3000);
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (String label : new String[] {"rfc", "bitmap-rfc"}) {
            Algorithm algorithm = Algorithm.of(label);
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            try {
                algorithm.compile(rules, context(BUDGET, AlgorithmOptions.DEFAULTS));
            } catch (MemoryBudgetException e) {
                assertEquals(BUDGET, e.budgetBytes());
            }
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            // All that was ever allocated, garbage too: chunks one after the other, a constraint a
            // rule and chunk, tables and the image while it grows.
            assertTrue(
                    allocated <= 8 * BUDGET + (96L << 20),
                    () -> label + " on " + pattern + ": " + allocated);
        }
    }

    /** Lists of rules are the wrong way there, and ANDing classes is not. */
    @Test
    void aLongChainIsReduced() throws IOException {
        RuleSet rules = rules(HostilePattern.CHAIN, 4_000);
        HeaderBatch headers = new SampleHeaders(rules, 3).batch(rules.layout(), HEADERS);
        Algorithm rfc = Algorithm.of("rfc");
        List<BuildMeter> meters = new ArrayList<>();
        Image image =
                rfc.compile(
                        rules,
                        context(256L << 20, AlgorithmOptions.DEFAULTS).watching(meters::add));
        Algorithm linear = Algorithm.of("linear");
        Image reference = linear.compile(rules, context(BUDGET, AlgorithmOptions.DEFAULTS));
        assertArrayEquals(
                answers(linear.open(reference), headers), answers(rfc.open(image), headers));
        assertTrue(meters.get(0).words() < 1L << 30, () -> meters.get(0).words() + " words");
    }

    @Test
    void theHeapBoundsWhatOptionsAskFor() throws IOException {
        CompileContext context = context(Long.MAX_VALUE, AlgorithmOptions.DEFAULTS);
        assertEquals(HeapBudget.bytes(), context.budgetBytes());
        BuildMeter meter = context.meter("rfc");
        String message = "";
        try {
            meter.require(Long.MAX_VALUE / 4);
        } catch (MemoryBudgetException e) {
            message = String.valueOf(e.getMessage());
        }
        assertTrue(message.contains("-Xmx"), message);
    }
}
