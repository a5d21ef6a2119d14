package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.RandomRules.Shape;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.update.LiveClassifier;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules that come and go: every answer is the oracle's for the version in force. */
class LiveRulesTest {
    private static final HeaderLayout LAYOUT = HeaderLayout.complete();

    static Stream<Arguments> stories() {
        List<Arguments> all = new ArrayList<>();
        for (AlgorithmChoice algorithm : AlgorithmsAgreeTest.choices()) {
            Shape shape =
                    switch (algorithm.label()) {
                        case "routes" -> Shape.IPV4_ROUTES;
                        case "rfc", "bitmap-rfc", "bitvector", "pairs" -> Shape.PREFIXES;
                        case "hash-tree", "mask-filter" -> Shape.OPENFLOW;
                        default -> Shape.MIXED;
                    };
            all.add(Arguments.of(algorithm, shape, 1L));
            if (algorithm.label().equals("routes")) {
                all.add(Arguments.of(algorithm, Shape.IPV6_ROUTES, 2L));
            }
            if (shape == Shape.MIXED || algorithm.label().equals("hash-tree")) {
                all.add(Arguments.of(algorithm, Shape.OPENFLOW, 2L));
                all.add(Arguments.of(algorithm, Shape.IPV4_5_TUPLE, 3L));
            }
        }
        return all.stream();
    }

    /** What the rules are, told the simple way. */
    private static final class Model {
        final List<Rule> byAge = new ArrayList<>();

        RuleSet ruleSet() {
            return RuleSet.of("model", 1, RuleSet.DROP, byAge);
        }

        void apply(RuleDelta delta) {
            byAge.removeIf(rule -> delta.removes().contains(rule.id()));
            byAge.addAll(delta.inserts());
        }
    }

    private static RuleDelta random(RandomRules random, Model model, Shape shape, long[] nextId) {
        List<Long> removes = new ArrayList<>();
        List<Rule> inserts = new ArrayList<>();
        int changes = random.below(4) == 0 ? 1 + random.below(40) : 1;
        for (int k = 0; k < changes; k++) {
            if (random.below(2) == 0 && !model.byAge.isEmpty()) {
                long id = model.byAge.get(random.below(model.byAge.size())).id();
                if (!removes.contains(id)) {
                    removes.add(id);
                }
            } else {
                inserts.add(random.rule(shape, nextId[0]++, 50));
            }
        }
        return new RuleDelta(removes, inserts);
    }

    private static EngineOptions options(AlgorithmChoice algorithm) {
        return EngineOptions.DEFAULTS.withAlgorithm(algorithm).with(HashTreeAlgorithm.THRESHOLD, 3);
    }

    @ParameterizedTest
    @MethodSource("stories")
    void everyDeltaGivesTheOraclesAnswers(AlgorithmChoice algorithm, Shape shape, long seed)
            throws Exception {
        RandomRules random =
                new RandomRules(seed * 31 + algorithm.algorithm().map(Algorithm::code).orElse(0));
        Model model = new Model();
        model.byAge.addAll(random.ruleSet(shape, 120).rules());
        long[] nextId = {1};
        try (LiveClassifier live = Engine.live(model.ruleSet(), LAYOUT, options(algorithm))) {
            for (int step = 0; step < 60; step++) {
                RuleDelta delta = random(random, model, shape, nextId);
                live.apply(delta);
                model.apply(delta);
                if (step % 20 == 19) {
                    live.awaitCompiled();
                }
                assertEquals(model.byAge.size(), live.size());
                assertAgrees(live, model.ruleSet(), random, 120, algorithm + " step " + step);
            }
            // All rules go, some come back.
            List<Long> all = model.byAge.stream().map(Rule::id).toList();
            RuleDelta clear = new RuleDelta(all, List.of());
            live.apply(clear);
            model.apply(clear);
            assertAgrees(live, model.ruleSet(), random, 50, algorithm + " empty");
            RuleDelta again = RuleDelta.insert(random.rule(shape, 900_001, 5));
            live.apply(again);
            model.apply(again);
            live.awaitCompiled();
            assertNull(live.compileFailure());
            assertAgrees(live, model.ruleSet(), random, 50, algorithm + " refilled");
            assertTrue(live.bytes() > 0);
        }
    }

    private static void assertAgrees(
            LiveClassifier live, RuleSet rules, RandomRules random, int headers, String story) {
        HeaderBatch batch = new HeaderBatch(LAYOUT, headers + 3);
        VerdictBatch verdicts = new VerdictBatch(headers);
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < headers; i++) {
            int[] header = random.header(rules);
            asked.add(header);
            batch.add(header);
        }
        live.classify(batch, verdicts);
        for (int i = 0; i < headers; i++) {
            int expected = Oracle.classify(rules, asked.get(i));
            int header = i;
            assertEquals(
                    expected == VerdictBatch.MISS ? 0 : rules.rules().get(expected).id(),
                    verdicts.rule(i) == VerdictBatch.MISS ? 0 : verdicts.ids()[i],
                    () -> story + " header " + header);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tuple",
                "merged-tuple",
                "bloom",
                "mask-filter",
                "hash-tree",
                "exact-first",
                "forest",
                "pairs"
            })
    void readersSeeOnlyVersionsInForce(Algorithm algorithm) throws Exception {
        Shape shape = algorithm.label().equals("pairs") ? Shape.PREFIXES : Shape.IPV4_5_TUPLE;
        RandomRules random = new RandomRules(algorithm.code());
        Model model = new Model();
        model.byAge.addAll(random.ruleSet(shape, 300).rules());
        long[] nextId = {1};
        int steps = 1500;
        List<RuleDelta> deltas = new ArrayList<>();
        AtomicReferenceArray<RuleSet> versions = new AtomicReferenceArray<>(steps + 1);
        versions.set(0, model.ruleSet());
        for (int s = 0; s < steps; s++) {
            RuleDelta delta = random(random, model, shape, nextId);
            deltas.add(delta);
            model.apply(delta);
            versions.set(s + 1, model.ruleSet());
        }
        AtomicInteger started = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (LiveClassifier live =
                Engine.live(versions.get(0), LAYOUT, options(AlgorithmChoice.of(algorithm)))) {
            List<Throwable> failures = new ArrayList<>();
            AtomicInteger checked = new AtomicInteger();
            Thread reader =
                    new Thread(
                            () -> {
                                try {
                                    read(live, versions, started, done, steps, checked);
                                } catch (Throwable t) {
                                    synchronized (failures) {
                                        failures.add(t);
                                    }
                                }
                            });
            reader.start();
            for (int s = 0; s < steps; s++) {
                started.set(s + 1);
                live.apply(deltas.get(s));
                done.set(s + 1);
            }
            reader.join();
            assertEquals(List.of(), failures);
            assertTrue(checked.get() > 10, "the reader looked " + checked + " times");
            live.awaitCompiled();
            assertNull(live.compileFailure());
            assertAgrees(live, versions.get(steps), random, 200, algorithm + " at the end");
        }
    }

    private static void read(
            LiveClassifier live,
            AtomicReferenceArray<RuleSet> versions,
            AtomicInteger started,
            AtomicInteger done,
            int steps,
            AtomicInteger checked) {
        RandomRules random = new RandomRules(77);
        int headers = 8;
        HeaderBatch batch = new HeaderBatch(LAYOUT, headers);
        VerdictBatch verdicts = new VerdictBatch(headers);
        boolean last = false;
        while (!last) {
            last = done.get() == steps && checked.get() > 10;
            batch.clear(LAYOUT);
            int[][] asked = new int[headers][];
            for (int i = 0; i < headers; i++) {
                asked[i] = random.header(versions.get(done.get()));
                batch.add(asked[i]);
            }
            int from = done.get();
            live.classify(batch, verdicts);
            int to = started.get();
            // The whole batch must be right for one version that was in force meanwhile.
            boolean right = false;
            for (int v = from; v <= to && !right; v++) {
                right = true;
                for (int i = 0; i < headers && right; i++) {
                    int expected = Oracle.classify(versions.get(v), asked[i]);
                    long id = expected < 0 ? 0 : versions.get(v).rules().get(expected).id();
                    right = id == (verdicts.rule(i) < 0 ? 0 : verdicts.ids()[i]);
                }
            }
            assertTrue(right, "no version from " + from + " to " + to + " gives these answers");
            checked.incrementAndGet();
        }
    }

    @Test
    void ranksAreSpreadAgainWhenTheyRunOut() {
        // Halving intervals: each priority is a little worse than the one before, so the interval
        // of the best one is cut in two until nothing is left.
        List<Rule> first = List.of(rule(1, 1000));
        try (LiveClassifier live =
                Engine.live(
                        RuleSet.of("ranks", 1, RuleSet.DROP, first),
                        LAYOUT,
                        EngineOptions.of(Algorithm.of("merged-tuple")))) {
            Model model = new Model();
            model.byAge.addAll(first);
            RandomRules random = new RandomRules(4);
            for (int k = 0; k < 200; k++) {
                RuleDelta delta = RuleDelta.insert(rule(2 + k, 999 - k), rule(1002 + k, 5000 + k));
                live.apply(delta);
                model.apply(delta);
                if (k % 10 == 0) {
                    assertAgrees(live, model.ruleSet(), random, 40, "spread " + k);
                }
            }
            assertTrue(live.spreads() > 0, "ranks never ran out");
            assertEquals(model.ruleSet().rules(), live.rules());
        }
    }

    @Test
    void routesTakeRulesThatAreNone() {
        RandomRules random = new RandomRules(21);
        Model model = new Model();
        model.byAge.addAll(random.ruleSet(Shape.IPV4_ROUTES, 200).rules());
        long[] nextId = {1};
        try (LiveClassifier live =
                Engine.live(model.ruleSet(), LAYOUT, EngineOptions.of(Algorithm.of("routes")))) {
            for (int step = 0; step < 40; step++) {
                Shape shape = step % 2 == 0 ? Shape.MIXED : Shape.IPV4_ROUTES;
                RuleDelta delta = random(random, model, shape, nextId);
                live.apply(delta);
                model.apply(delta);
                assertAgrees(live, model.ruleSet(), random, 120, "step " + step);
            }
        }
    }

    private static Rule rule(long id, int priority) {
        Match match =
                new Match.Builder()
                        .field(Field.IP_PROTO, (int) id & 3)
                        .field(Field.IPV4_DST, (int) id << 28, 0xf0000000)
                        .build();
        return new Rule(id, priority, match, "a", 0);
    }

    @Test
    void aDeltaThatCannotBeIsRefusedWhole() {
        try (LiveClassifier live =
                Engine.live(
                        RuleSet.of("r", 1, RuleSet.DROP, List.of(rule(1, 1))),
                        EngineOptions.of(Algorithm.of("tuple")))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> live.apply(new RuleDelta(List.of(1L, 7L), List.of())));
            assertThrows(
                    IllegalArgumentException.class, () -> live.apply(RuleDelta.insert(rule(1, 2))));
            Match beyond = new Match.Builder().field(Field.ETH_TYPE, 5).build();
            String message =
                    assertThrows(
                                    IllegalArgumentException.class,
                                    () ->
                                            live.apply(
                                                    RuleDelta.insert(
                                                            new Rule(9, 1, beyond, "a", 0))))
                            .getMessage();
            assertTrue(message.contains("wider layout"), message);
            assertEquals(1, live.size());
        }
        Classifier compiled =
                Engine.compile(
                        RuleSet.of("r", 1, RuleSet.DROP, List.of(rule(1, 1))),
                        EngineOptions.of(Algorithm.of("tuple")));
        assertThrows(
                UnsupportedOperationException.class, () -> compiled.apply(RuleDelta.remove(1L)));
    }
}
