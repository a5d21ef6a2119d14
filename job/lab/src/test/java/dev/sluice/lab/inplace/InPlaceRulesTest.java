package dev.sluice.lab.inplace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleHistory;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that change in place: every answer is the oracle's for the version in force. */
class InPlaceRulesTest {
    private static final HeaderLayout LAYOUT = HeaderLayout.complete();

    private static final int HEADERS = 150;
    private static final int STEPS_A_READ = 20;

    /** Shapes that an algorithm must serve, and whose rules its structure takes. */
    private static List<Shape> shapes(Algorithm algorithm) {
        RandomRules random = new RandomRules(TestSeed.of(30));
        return Served.someShapes(AlgorithmChoice.of(algorithm)).stream()
                .filter(
                        shape ->
                                algorithm
                                        .inPlace(
                                                random.ruleSet(shape, 10),
                                                LAYOUT,
                                                CompileContext.DEFAULTS)
                                        .isPresent())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.lab.inplace.InPlaceSubject#algorithms")
    void everyDeltaGivesTheOraclesAnswers(Algorithm algorithm) {
        List<Shape> shapes = shapes(algorithm);
        assertFalse(shapes.isEmpty(), algorithm.label() + " must serve nothing");
        Form form = Form.plain(algorithm.label());
        for (Shape shape : shapes) {
            RuleStory story = RuleStory.random(TestSeed.of(31), shape, 120, 60, HEADERS).cleared();
            SameVerdicts.assertServed(story, InPlaceSubject.of(form));
        }
        RuleStory story = RuleStory.random(TestSeed.of(32), shapes.get(0), 120, 25, HEADERS);
        for (Form other : Form.all(AlgorithmChoice.of(algorithm))) {
            if (!other.plain()) {
                SameVerdicts.assertServed(story, InPlaceSubject.of(other));
            }
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.sluice.lab.inplace.InPlaceSubject#algorithms")
    void everyDeltaOfLongHistoriesGivesTheOraclesAnswers(Algorithm algorithm) {
        Form form = Form.plain(algorithm.label());
        for (Shape shape : shapes(algorithm)) {
            for (long seed = 100; seed < 105; seed++) {
                RuleStory story =
                        RuleStory.random(TestSeed.of(seed), shape, 150, 400, HEADERS).cleared();
                SameVerdicts.assertServed(story, InPlaceSubject.of(form));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.lab.inplace.InPlaceSubject#algorithms")
    void readersSeeOnlyVersionsInForce(Algorithm algorithm) throws Exception {
        readersSeeOnlyVersionsInForce(algorithm, 300);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.InPlaceSubject#algorithms")
    void readersSeeOnlyVersionsInForceOfLongHistories(Algorithm algorithm) throws Exception {
        readersSeeOnlyVersionsInForce(algorithm, 1500);
    }

    private static void readersSeeOnlyVersionsInForce(Algorithm algorithm, int steps)
            throws Exception {
        Shape shape =
                Served.must(AlgorithmChoice.of(algorithm), Shape.IPV4_5_TUPLE)
                        ? Shape.IPV4_5_TUPLE
                        : shapes(algorithm).get(0);
        ChangingRules changing =
                new ChangingRules(TestSeed.of(algorithm.label().hashCode()), shape, 300);
        List<RuleDelta> deltas = new ArrayList<>();
        AtomicReferenceArray<RuleSet> versions = new AtomicReferenceArray<>(steps + 1);
        versions.set(0, changing.ruleSet());
        for (int s = 0; s < steps; s++) {
            deltas.add(changing.change().last());
            versions.set(s + 1, changing.ruleSet());
        }
        RuleStory story = changing.story("versions-in-force", 200);
        SameVerdicts.keepIfFails(
                story,
                algorithm.label() + "-with-a-reader",
                () -> readWhileRulesChange(algorithm, story, deltas, versions));
    }

    private static void readWhileRulesChange(
            Algorithm algorithm,
            RuleStory story,
            List<RuleDelta> deltas,
            AtomicReferenceArray<RuleSet> versions)
            throws Exception {
        int steps = deltas.size();
        AtomicInteger started = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        InPlaceClassifier live =
                InPlaceSubject.open(Form.plain(algorithm.label()), versions.get(0), LAYOUT);
        List<Throwable> failures = new ArrayList<>();
        AtomicInteger checked = new AtomicInteger();
        AtomicInteger beside = new AtomicInteger();
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                read(live, versions, started, done, steps, checked, beside);
                            } catch (Throwable t) {
                                synchronized (failures) {
                                    failures.add(t);
                                }
                            }
                        });
        reader.start();
        for (int s = 0; s < steps; s++) {
            // However fast deltas are, the reader looks between them.
            while (checked.get() < s / STEPS_A_READ && reader.isAlive()) {
                Thread.onSpinWait();
            }
            started.set(s + 1);
            live.apply(deltas.get(s));
            done.set(s + 1);
        }
        reader.join();
        assertEquals(List.of(), failures);
        assertTrue(beside.get() >= 10, beside + " looks beside the deltas");
        SameVerdicts.assertServed(
                RuleStory.of(
                        "at-the-end",
                        story.seed(),
                        versions.get(steps).rules(),
                        List.of(),
                        story.headers()),
                InPlaceSubject.inForce(live, algorithm.label()));
        assertEquals(
                RuleHistory.withoutPlaces(versions.get(steps).rules()),
                RuleHistory.withoutPlaces(live.rules()));
    }

    private static void read(
            InPlaceClassifier live,
            AtomicReferenceArray<RuleSet> versions,
            AtomicInteger started,
            AtomicInteger done,
            int steps,
            AtomicInteger checked,
            AtomicInteger beside) {
        RandomRules random = new RandomRules(TestSeed.of(77));
        int headers = 8;
        HeaderBatch batch = new HeaderBatch(LAYOUT, headers);
        VerdictBatch verdicts = new VerdictBatch(headers);
        boolean last = false;
        while (!last) {
            last = done.get() == steps;
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
            beside.addAndGet(last ? 0 : 1);
        }
    }

    @Test
    void ranksAreSpreadAgainWhenTheyRunOut() {
        // Halving intervals: each priority is a little worse than the one before, so the interval
        // of the best one is cut in two until nothing is left.
        List<RuleDelta> deltas = new ArrayList<>();
        List<Rule> all = new ArrayList<>(List.of(rule(1, 1000)));
        for (int k = 0; k < 200; k++) {
            deltas.add(RuleDelta.insert(rule(2 + k, 999 - k), rule(1002 + k, 5000 + k)));
            all.addAll(deltas.get(k).inserts());
        }
        long seed = TestSeed.of(4);
        RuleStory ever =
                RuleStory.of(
                        "ranks",
                        seed,
                        RuleSet.of("ranks", 1, RuleSet.DROP, all),
                        new RandomRules(seed),
                        40);
        RuleStory story = RuleStory.of("ranks", seed, all.subList(0, 1), deltas, ever.headers());
        Form form = Form.plain("merged-tuple");
        SameVerdicts.assertServed(story, InPlaceSubject.of(form));
        InPlaceClassifier live = InPlaceSubject.open(form, story.ruleSet(), story.layout());
        deltas.forEach(live::apply);
        assertTrue(live.spreads() > 0, "ranks never ran out");
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
        RuleSet one = RuleSet.of("r", 1, RuleSet.DROP, List.of(rule(1, 1)));
        InPlaceClassifier live = InPlaceSubject.open(Form.plain("tuple"), one, one.layout());
        assertThrows(
                IllegalArgumentException.class,
                () -> live.apply(new RuleDelta(List.of(1L, 7L), List.of())));
        assertThrows(
                IllegalArgumentException.class, () -> live.apply(RuleDelta.insert(rule(1, 2))));
        Match beyond = new Match.Builder().field(Field.ETH_TYPE, 5).build();
        RuleDelta wide = RuleDelta.insert(new Rule(9, 1, beyond, "a", 0));
        String message =
                assertThrows(IllegalArgumentException.class, () -> live.apply(wide)).getMessage();
        assertTrue(message.contains("wider layout"), message);
        assertEquals(1, live.size());
    }

    @Test
    void aDeltaThatMemoryLacksChangesNothing() {
        ChangingRules changing = new ChangingRules(TestSeed.of(22), Shape.FIREWALL, 100);
        RuleSet first = changing.ruleSet();
        InPlaceClassifier live =
                InPlaceSubject.open(Form.plain("tuple").withBudget(1 << 20), first, LAYOUT);
        RuleDelta large = changing.replace(40, 20_000).last();
        assertThrows(MemoryBudgetException.class, () -> live.apply(large));
        RuleStory story =
                RuleStory.of(
                        "memory",
                        TestSeed.of(22),
                        first,
                        new RandomRules(TestSeed.of(22)),
                        HEADERS);
        SameVerdicts.assertServed(story, InPlaceSubject.inForce(live, "tuple-without-memory"));
        assertEquals(
                RuleHistory.withoutPlaces(first.rules()), RuleHistory.withoutPlaces(live.rules()));
        // The copies that were made anew take changes as those before.
        Rule gone = first.rules().get(0);
        live.apply(RuleDelta.remove(gone.id()));
        live.apply(RuleDelta.insert(gone));
        assertEquals(first.size(), live.size());
    }

    @Test
    void rulesThatNoStructureTakesAreRefused() {
        RuleSet ipv6 = new RandomRules(TestSeed.of(23)).ruleSet(Shape.IPV6_ROUTES, 20);
        for (String label : List.of("rfc", "routes")) {
            Form form = Form.plain(label);
            String message =
                    assertThrows(
                                    UnsupportedOperationException.class,
                                    () -> InPlaceSubject.open(form, ipv6, LAYOUT))
                            .getMessage();
            assertTrue(message.contains("in place by " + label), message);
        }
    }
}
