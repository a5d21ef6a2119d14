package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A flow cache gives the answers of what it stands before, for every algorithm and thread. */
class FlowCacheTest {
    private static final int BATCH = 1500; // more than a block, and no multiple of one
    private static final int BATCHES = 12;

    /** Rules that an algorithm serves, and headers of which few make most packets. */
    private static RuleStory story(Algorithm algorithm, long number, int rules, int headers) {
        Shape shape = Served.shapeFor(algorithm.choice());
        return RuleStory.random(TestSeed.of(number), shape, rules, 0, headers);
    }

    /** The look-up of headers that come again, some at once, some batches later. */
    private static Subject.LookUp repeating(Classifier classifier, long seed) {
        return headers -> {
            int[] answers = answers(classifier, headers);
            SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
            for (int b = 0; b < BATCHES && !headers.isEmpty(); b++) {
                List<int[]> asked = new ArrayList<>();
                int[] which = new int[BATCH];
                for (int i = 0; i < BATCH; i++) {
                    // The product of two numbers: few flows make most packets.
                    which[i] = (int) (headers.size() * random.nextDouble() * random.nextDouble());
                    asked.add(headers.get(which[i]));
                }
                int[] again = answers(classifier, asked);
                for (int i = 0; i < BATCH; i++) {
                    assertEquals(answers[which[i]], again[i], "the same header's answer");
                }
            }
            return answers;
        };
    }

    private static int[] answers(Classifier classifier, List<int[]> headers) {
        HeaderBatch batch = new HeaderBatch(classifier.layout(), headers.size() + 7);
        headers.forEach(batch::add);
        VerdictBatch verdicts = new VerdictBatch(headers.size() + 7);
        classifier.classify(batch, verdicts);
        return Arrays.copyOf(verdicts.rules(), headers.size());
    }

    /** An algorithm behind a cache; every cache that is made is put into a list. */
    private static Subject cached(Algorithm algorithm, int entries, List<FlowCache> made) {
        return Subject.of(
                algorithm.label() + "-behind-" + entries + "-entries",
                rules -> {
                    FlowCache cache = cache(algorithm, rules, entries);
                    made.add(cache);
                    return repeating(cache, 7);
                });
    }

    private static FlowCache cache(Algorithm algorithm, RuleSet rules, int entries) {
        return new FlowCache(Form.plain(algorithm.choice()).compile(rules), entries);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.lookup.Algorithm#all")
    void everyAlgorithmsAnswersAreTheOraclesBehindACache(Algorithm algorithm) {
        RuleStory story = story(algorithm, 3, 60, 300);
        long hits =
                Arrays.stream(story.expected()[0]).filter(id -> id != RuleStory.NO_RULE).count();
        assertTrue(hits > 50, () -> hits + " headers match a rule");
        for (int entries : new int[] {1, 16, 4096}) {
            List<FlowCache> made = new ArrayList<>();
            SameVerdicts.assertServed(story, cached(algorithm, entries, made));
            FlowCache cache = made.get(0);
            String what = algorithm + " behind " + entries + " entries";
            assertTrue(cache.hitRate() > 0, what + ": nothing came from the cache");
            assertTrue(cache.hitRate() < 1, what + ": nothing was looked up");
            // Nearly all hit where all flows have room, but for those that share an entry.
            assertTrue(entries < 4096 || cache.hitRate() > 0.75, what + ": " + cache.hitRate());
        }
    }

    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredBehindACache(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        int served = 0;
        for (Algorithm algorithm : Algorithm.all()) {
            Subject subject = cached(algorithm, 16, new ArrayList<>());
            served += SameVerdicts.assertSameVerdicts(story, subject).isEmpty() ? 1 : 0;
        }
        assertTrue(served > 0, () -> "no algorithm serves " + story);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.lookup.Algorithm#all")
    void threadsDoNotDisturbEachOther(Algorithm algorithm) {
        SameVerdicts.assertServed(
                story(algorithm, 4, 60, 200),
                Subject.of(
                        algorithm.label() + "-behind-a-cache-of-four-threads",
                        rules -> ofFourThreads(cache(algorithm, rules, 256))));
    }

    private static Subject.LookUp ofFourThreads(FlowCache cache) {
        return headers -> {
            ExecutorService pool = Executors.newFixedThreadPool(4);
            try {
                List<Callable<int[]>> tasks = new ArrayList<>();
                for (int t = 0; t < 4; t++) {
                    long seed = t;
                    tasks.add(() -> repeating(cache, seed).positions(headers));
                }
                int[] first = null;
                for (Future<int[]> answers : pool.invokeAll(tasks)) {
                    first = first == null ? answers.get() : first;
                    assertArrayEquals(first, answers.get(), "another thread's answers");
                }
                return first;
            } finally {
                pool.shutdownNow();
            }
        };
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
    void oneThatTheHeapHasNoRoomForNamesItsOption() {
        Match.Builder all = new Match.Builder();
        for (int word = 0; word < HeaderLayout.MOST_WORDS; word++) {
            all.word(word, 0, -1);
        }
        RuleSet wide =
                RuleSet.of("wide", 1, RuleSet.DROP, List.of(new Rule(1, 1, all.build(), "a", 1)));
        Classifier plain = Form.plain("linear").compile(wide);
        String message =
                assertThrows(
                                MemoryBudgetException.class,
                                () -> new FlowCache(plain, FlowCache.MOST_ENTRIES))
                        .getMessage();
        assertTrue(message.contains("67,108,864") && message.contains("--flow-cache"), message);
    }

    @Test
    void anEngineHasOneWhereTheOptionsAskForIt() {
        RuleStory story = story(Algorithm.of("forest"), 6, 40, 4);
        EngineOptions options =
                EngineOptions.of(Algorithm.of("forest"))
                        .withGpu(GpuPool.Selection.OFF)
                        .withFlowCache(1024);
        try (Engine engine = Engine.open(story.ruleSet(), options)) {
            HeaderBatch headers = engine.current().newBatch(4);
            story.headers().forEach(headers::add);
            for (int round = 0; round < 4; round++) {
                SameVerdicts.assertPositions(
                        story, "engine-with-a-cache", engine.classify(headers).rules());
            }
            // Of headers that share an entry the last one stays in it.
            assertTrue(engine.figures().flowCacheHitRate() > 0);
        }
    }
}
