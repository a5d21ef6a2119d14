package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.SteadyAllocation;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Look-ups leave nothing for the garbage collector once a thread is warm. */
class NoAllocationTest {
    private static final int BATCHES = 200;

    /** The counter's own call may allocate a little; a batch must not. */
    private static final long QUIET = 64 * 10;

    private static RuleSet rules(AlgorithmChoice algorithm) {
        return new RandomRules(TestSeed.of(8)).ruleSet(Served.shapeFor(algorithm), 120);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void aBatchAllocatesNothing(AlgorithmChoice algorithm) {
        RuleSet rules = rules(algorithm);
        assertNothing(Form.plain(algorithm).compile(rules), rules, algorithm.label());
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "compressed"})
    void neitherDoCompressedTables(String form) {
        RuleSet rules = new RandomRules(TestSeed.of(8)).ruleSet(Shape.PREFIXES, 120);
        EngineOptions plain = Form.plain("bitmap-rfc").options();
        EngineOptions options = plain.withTuning(plain.tuning().withParsed(RfcForm.OPTION, form));
        Classifier bitmaps = Engine.compile(rules, options);
        long plainBytes = Form.plain("rfc").compile(rules).bytes();
        assertTrue(bitmaps.bytes() < plainBytes, form + " compressed nothing");
        assertNothing(bitmaps, rules, "bitmap-rfc " + form);
    }

    @Test
    void neitherDoHeadersOfBothFamilies() {
        RuleSet rules = new RandomRules(TestSeed.of(8)).ruleSet(Shape.DUAL_STACK, 120);
        assertNothing(Form.plain("families").compile(rules), rules, "families");
    }

    @Test
    void neitherDoesTheFlowCache() {
        RuleSet rules = new RandomRules(TestSeed.of(8)).ruleSet(Shape.IPV4_5_TUPLE, 120);
        FlowCache cache = new FlowCache(Form.plain("tuple").compile(rules), 1 << 15);
        assertNothing(cache, rules, "flow cache");
        assertTrue(cache.hitRate() > 0.5);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void neitherDoVersionsWithRemovalsAndInsertions(AlgorithmChoice algorithm) {
        RuleSet rules = rules(algorithm);
        EngineOptions options = Form.plain(algorithm).options().withGpu(GpuPool.Selection.OFF);
        try (Engine engine = Engine.open(rules, options)) {
            List<Rule> all = rules.rules();
            List<Long> gone = all.subList(0, 40).stream().map(Rule::id).toList();
            List<Rule> come = new ArrayList<>();
            for (int k = 0; k < 20; k++) {
                come.add(all.get(k).withId(1_000_000 + k));
            }
            engine.apply(2, new RuleDelta(gone, come)).close();
            assertNothing(engine::classify, rules, "versions of " + algorithm.label());
        }
    }

    private static long[] sink = {};

    @Test
    void oneObjectInABatchOfManyWouldBeSeen() {
        RuleSet rules = new RandomRules(TestSeed.of(8)).ruleSet(Shape.IPV4_5_TUPLE, 120);
        Classifier tuple = Form.plain("tuple").compile(rules);
        int[] batches = new int[1];
        assertThrows(
                AssertionError.class,
                () ->
                        assertNothing(
                                (headers, verdicts) -> {
                                    tuple.classify(headers, verdicts);
                                    if (batches[0]++ % 5 == 0) {
                                        sink = new long[1];
                                    }
                                },
                                rules,
                                "one that allocates"));
        assertEquals(1, sink.length);
    }

    private static void assertNothing(Classifier classifier, RuleSet rules, String story) {
        assertNothing(classifier::classify, rules, story);
    }

    private static void assertNothing(
            BiConsumer<HeaderBatch, VerdictBatch> lookUp, RuleSet rules, String story) {
        HeaderBatch batch = new SampleHeaders(rules, TestSeed.of(3)).batch(rules.layout(), 2000);
        VerdictBatch verdicts = new VerdictBatch(2000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // A flow cache that decides by itself takes its memory at its first trial.
        for (int k = 0; k < 60; k++) {
            lookUp.accept(batch, verdicts);
        }
        long found = Arrays.stream(verdicts.rules()).filter(rule -> rule >= 0).count();
        assertTrue(found > 200, () -> story + " found " + found + " rules");
        long bytes =
                SteadyAllocation.leastBytes(
                        threads::getCurrentThreadAllocatedBytes,
                        QUIET,
                        BATCHES,
                        () -> lookUp.accept(batch, verdicts));
        assertTrue(bytes < QUIET, story + " allocated " + bytes + " bytes in " + BATCHES);
    }
}
