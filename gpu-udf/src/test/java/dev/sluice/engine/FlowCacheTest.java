package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A flow cache gives the answers of what it stands before, for every algorithm and thread. */
class FlowCacheTest {
    private static final int BATCH = 1500; // more than a block, and no multiple of one
    private static final int BATCHES = 12;

    /** Headers near the rules that come again, some at once, some batches later. */
    private static List<int[]> flows(RuleSet rules, SplittableRandom random, int distinct) {
        SampleHeaders sample = new SampleHeaders(rules, random.nextLong());
        List<int[]> flows = new ArrayList<>();
        for (int i = 0; i < distinct; i++) {
            flows.add(sample.next());
        }
        return flows;
    }

    /** Batches of skewed flows through a classifier; returns how many headers had a rule. */
    private static int assertOracles(
            Classifier classifier, RuleSet rules, long seed, int distinct, String story) {
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
        List<int[]> flows = flows(rules, random, distinct);
        HeaderBatch headers = new HeaderBatch(rules.layout(), BATCH + 7);
        VerdictBatch verdicts = new VerdictBatch(BATCH + 7);
        int matched = 0;
        for (int b = 0; b < BATCHES; b++) {
            headers.clear(rules.layout());
            List<int[]> asked = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                // The product of two numbers: few flows make most packets.
                int[] header =
                        flows.get((int) (distinct * random.nextDouble() * random.nextDouble()));
                asked.add(header);
                headers.add(header);
            }
            classifier.classify(headers, verdicts);
            for (int i = 0; i < BATCH; i++) {
                int position = i;
                int wanted = Oracle.classify(rules, asked.get(i));
                matched += wanted == VerdictBatch.MISS ? 0 : 1;
                assertEquals(wanted, verdicts.rule(i), () -> story + " header " + position);
            }
        }
        return matched;
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.lookup.Algorithm#all")
    void everyAlgorithmsAnswersAreTheOraclesBehindACache(Algorithm algorithm) {
        RuleSet rules = SmallPolicy.of(algorithm, 3, 60);
        Classifier plain = Engine.compile(rules, EngineOptions.of(algorithm));
        for (int entries : new int[] {1, 16, 4096}) {
            FlowCache cache = new FlowCache(plain, entries);
            String story = algorithm + " behind " + entries + " entries";
            assertTrue(assertOracles(cache, rules, entries, 300, story) > BATCH, story);
            assertTrue(cache.hitRate() > 0, story + ": nothing came from the cache");
            assertTrue(cache.hitRate() < 1, story + ": nothing was looked up");
            // Nearly all hit where all flows have room, but for those that share an entry.
            assertTrue(entries < 4096 || cache.hitRate() > 0.75, story + ": " + cache.hitRate());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.lookup.Algorithm#all")
    void threadsDoNotDisturbEachOther(Algorithm algorithm) throws Exception {
        RuleSet rules = SmallPolicy.of(algorithm, 4, 60);
        FlowCache cache = new FlowCache(Engine.compile(rules, EngineOptions.of(algorithm)), 256);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                long seed = t;
                tasks.add(
                        () ->
                                assertOracles(
                                        cache, rules, seed, 200, algorithm + " thread " + seed));
            }
            for (Future<Integer> matched : pool.invokeAll(tasks)) {
                assertTrue(matched.get() > BATCH);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void headersWithoutWordsAreAnswered() {
        RuleSet none = RuleSet.of("none", 1, RuleSet.DROP, List.of());
        Classifier plain = Engine.compile(none, EngineOptions.of(Algorithm.of("linear")));
        FlowCache cache = new FlowCache(plain, 8);
        HeaderBatch headers = new HeaderBatch(none.layout(), 3);
        headers.size(3);
        VerdictBatch verdicts = new VerdictBatch(3);
        for (int round = 0; round < 2; round++) {
            cache.classify(headers, verdicts);
            for (int i = 0; i < 3; i++) {
                assertEquals(VerdictBatch.MISS, verdicts.rule(i));
            }
        }
    }

    @Test
    void rulesThatChangeAreNotRemembered() {
        RuleSet rules = SmallPolicy.of(Algorithm.of("tuple"), 5, 10);
        try (LiveClassifier live = Engine.live(rules, EngineOptions.of(Algorithm.of("tuple")))) {
            assertThrows(IllegalArgumentException.class, () -> new FlowCache(live, 16));
        }
    }

    @Test
    void anEngineHasOneWhereTheOptionsAskForIt() {
        RuleSet rules = SmallPolicy.of(Algorithm.of("forest"), 6, 40);
        EngineOptions options =
                EngineOptions.of(Algorithm.of("forest"))
                        .withGpu(GpuPool.Selection.OFF)
                        .withFlowCache(1024);
        try (Engine engine = Engine.open(rules, options)) {
            HeaderBatch headers = engine.current().newBatch(4);
            List<int[]> flows = flows(rules, new SplittableRandom(TestSeed.of(1)), 4);
            flows.forEach(headers::add);
            for (int round = 0; round < 4; round++) {
                VerdictBatch verdicts = engine.classify(headers);
                for (int i = 0; i < 4; i++) {
                    assertEquals(Oracle.classify(rules, flows.get(i)), verdicts.rule(i));
                }
            }
            // Of headers that share an entry the last one stays in it.
            assertTrue(engine.figures().flowCacheHitRate() > 0);
        }
    }
}
