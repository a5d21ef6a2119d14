package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.LineShift;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.DrawnStories;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.Refusals;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Served;
import dev.sluice.engine.testing.StoryFile;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that change through the front door: each version answers as its rules, and keeps to it. */
class EngineUpdatesTest {
    /** A new base after every few changes. */
    private static final RenewalBounds SOON = new RenewalBounds(6, 1_000_000, 1, 1);

    /** The first base stays. */
    private static final RenewalBounds NEVER = new RenewalBounds(1_000_000, 1, 1, 1);

    private static EngineOptions options(String algorithm) {
        return Form.plain(algorithm).options().withGpu(GpuPool.Selection.OFF);
    }

    private static Shape shape(AlgorithmChoice algorithm) {
        return Served.must(algorithm, Shape.IPV4_5_TUPLE)
                ? Shape.IPV4_5_TUPLE
                : Served.shapeFor(algorithm);
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void everyVersionGivesTheOraclesAnswers(AlgorithmChoice algorithm) {
        EngineOptions options = options(algorithm.label());
        RuleStory story = RuleStory.random(TestSeed.of(91), shape(algorithm), 120, 40, 120);
        SameVerdicts.assertServed(story, EngineSubject.of(options, NEVER));
        RuleStory other = RuleStory.random(TestSeed.of(92), shape(algorithm), 60, 30, 120);
        SameVerdicts.assertServed(other.cleared(), EngineSubject.of(options, SOON));
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void everyFormOfAnAlgorithmGivesTheOraclesAnswers(AlgorithmChoice algorithm) {
        List<Shape> shapes = Served.someShapes(algorithm);
        assertFalse(shapes.isEmpty(), algorithm.label() + " must serve nothing");
        Form plain = Form.plain(algorithm);
        for (Shape shape : plain.choosesByMeasuring() ? shapes.subList(0, 1) : shapes) {
            RuleStory story = RuleStory.random(TestSeed.of(96), shape, 120, 40, 100).cleared();
            SameVerdicts.assertServed(story, plain.changing());
        }
        RuleStory story = RuleStory.random(TestSeed.of(97), shapes.get(0), 120, 25, 100);
        for (Form form : Form.all(algorithm)) {
            if (!form.plain()) {
                Refusals.assertAllowed(
                        form, story, SameVerdicts.assertSameVerdicts(story, form.changing()));
            }
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.Form#choices")
    void everyVersionOfLongHistoriesGivesTheOraclesAnswers(AlgorithmChoice algorithm) {
        for (Shape shape : Served.someShapes(algorithm)) {
            for (long seed = 200; seed < 205; seed++) {
                RuleStory story =
                        RuleStory.random(TestSeed.of(seed), shape, 150, 400, 100).cleared();
                SameVerdicts.assertServed(story, Form.plain(algorithm).changing());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void rulesOfEveryShapeComeAndGo(Shape shape) {
        EngineOptions options = options("merged-tuple").withFlowCache(64);
        RuleStory story = RuleStory.random(TestSeed.of(93), shape, 150, 60, 150);
        SameVerdicts.assertServed(story, EngineSubject.of(options, NEVER));
        SameVerdicts.assertServed(story, EngineSubject.of(options, SOON));
    }

    static List<Shape> shapes() {
        return List.of(Shape.values());
    }

    /** Versions without updates, too, are asked through the door here. */
    @Tag("story")
    @ParameterizedTest
    @MethodSource("dev.sluice.engine.testing.StoryFile#kept")
    void keptStoriesAreAnsweredThroughTheDoor(Path file) throws Exception {
        RuleStory story = StoryFile.read(file);
        for (AlgorithmChoice algorithm : Form.choices()) {
            EngineOptions options = options(algorithm.label());
            for (RenewalBounds bounds : List.of(NEVER, SOON)) {
                Refusals.assertAllowed(
                        Form.plain(algorithm),
                        story,
                        SameVerdicts.assertSameVerdicts(story, EngineSubject.of(options, bounds)));
            }
        }
        EngineOptions cached = options("merged-tuple").withFlowCache(64);
        SameVerdicts.assertServed(story, EngineSubject.of(cached, SOON));
    }

    /** Rules of which the story is kept if the test fails. */
    private static EngineModel model(
            long seed, int rules, EngineOptions options, RenewalBounds bounds) {
        EngineModel model = new EngineModel(EngineModel.numbered(rules).rules());
        DrawnStories.tell(
                () ->
                        RuleStory.ofVersions(
                                "numbered",
                                TestSeed.of(seed),
                                model.versions,
                                EngineModel.everyNetwork()),
                EngineSubject.of(options, bounds));
        return model;
    }

    @Test
    void attributesPlacesAndLinesAreThoseOfTheVersion() throws Exception {
        for (RenewalBounds bounds : List.of(NEVER, SOON)) {
            assertAttributes(model(94, 60, options("forest"), bounds), bounds);
        }
    }

    private static void assertAttributes(EngineModel model, RenewalBounds bounds) throws Exception {
        Random random = TestSeed.random(94);
        RuleSet first = model.set(1);
        try (Engine engine = Engine.open(first, options("forest"), bounds)) {
            List<RuleSetVersion> held = new ArrayList<>(List.of(engine.acquire()));
            List<RuleSet> expected = new ArrayList<>(List.of(first));
            for (int step = 2; step < 200; step++) {
                RuleDelta delta = model.change(random, 1000L * step);
                model.apply(delta);
                RuleSetVersion version = engine.apply(step, delta);
                held.add(version);
                expected.add(model.set(step));
                if (step % 40 == 0) {
                    engine.renewals().await();
                    try (RuleSetVersion now = engine.acquire()) {
                        EngineModel.assertVersion(engine, now, model.set(step));
                    }
                }
                for (int v = 0; v < held.size(); v += Math.max(1, held.size() - 1)) {
                    EngineModel.assertVersion(engine, held.get(v), expected.get(v));
                }
                if (held.size() > 8) {
                    int gone = random.nextInt(held.size());
                    held.remove(gone).close();
                    expected.remove(gone);
                }
            }
            held.forEach(RuleSetVersion::close);
            engine.renewals().await();
            assertNull(engine.renewals().failure());
            assertEquals(
                    bounds == SOON,
                    engine.renewals().done() > 0,
                    engine.renewals().done() + " bases");
        }
    }

    @Test
    void aDeltaThatDoesNotFitChangesNothing() {
        RuleSet first = EngineModel.numbered(30);
        try (Engine engine = Engine.open(first, options("tuple"), NEVER)) {
            Place free = Place.between(first.rules().get(3).place(), first.rules().get(4).place());
            engine.apply(2, RuleDelta.insert(EngineModel.rule(100, free, 3, 0))).close();
            engine.apply(3, new RuleDelta(List.of(7L), List.of())).close();
            RuleSet before = engine.current().rules();
            Place other = Place.between(free, first.rules().get(4).place());
            Rule fine = EngineModel.rule(101, other, 2, 0);
            Place taken = first.rules().get(20).place();
            Rule stays = first.rules().get(20);
            List<RuleDelta> wrong =
                    List.of(
                            new RuleDelta(List.of(1L, 100L, 999L), List.of(fine)),
                            new RuleDelta(List.of(2L, 2L), List.of()),
                            new RuleDelta(
                                    List.of(5L), List.of(fine, EngineModel.rule(102, taken, 1, 0))),
                            new RuleDelta(
                                    List.of(100L),
                                    List.of(fine, EngineModel.rule(102, other, 1, 0))),
                            new RuleDelta(List.of(), List.of(fine, fine.at(taken))),
                            new RuleDelta(List.of(), List.of(fine, fine)),
                            new RuleDelta(List.of(), List.of(stays, stays)),
                            new RuleDelta(
                                    List.of(),
                                    List.of(
                                            EngineModel.rule(3, first.rules().get(2).place(), 9, 5),
                                            EngineModel.rule(103, Place.NONE, 1, 0))));
            for (RuleDelta delta : wrong) {
                RuleSetVersion there = engine.current();
                assertThrows(IllegalArgumentException.class, () -> engine.apply(4, delta));
                assertSame(there, engine.current());
                // What the refused delta wrote is in nobody's way.
                assertEquals(before.rules(), there.rules().rules());
                engine.apply(3, new RuleDelta(List.of(), List.of())).close();
                EngineModel.assertVersion(
                        engine,
                        engine.current(),
                        new RuleSet("", 3, "", before.rules(), before.layout()));
            }
            engine.apply(5, new RuleDelta(List.of(5L), List.of(fine))).close();
            assertEquals(30, engine.current().size());
        }
    }

    @Test
    void whatIsTooLargeOrTooWideIsCompiled() throws Exception {
        RuleSet first = EngineModel.numbered(30);
        try (Engine engine = Engine.open(first, options("tuple"), NEVER)) {
            engine.renewals().await();
            RuleDelta quick = RuleDelta.remove(3L);
            assertTrue(engine.takesQuickly(quick));
            engine.apply(2, quick).close();
            Match ports = new Match.Builder().ports(Field.DST_PORT, 80, 90).build();
            Place last = Place.between(first.rules().get(29).place(), null);
            RuleDelta wide =
                    new RuleDelta(
                            List.of(4L),
                            List.of(new Rule(200, 7, ports, "deny", 1, last, "")),
                            List.of(new LineShift(1, 1)));
            assertFalse(engine.takesQuickly(wide));
            try (RuleSetVersion version = engine.apply(3, wide)) {
                assertEquals(29, version.size());
                assertEquals(200, version.rule(0).id());
                assertEquals(1, version.rule(0).line());
                assertEquals(2, version.rule(1).line());
                assertTrue(version.layout().size() > first.layout().size());
            }
            List<Rule> many = new ArrayList<>();
            List<Place> places = Place.spread(last, null, 9000);
            for (int i = 0; i < 9000; i++) {
                many.add(EngineModel.rule(1000 + i, places.get(i), i % 16, 0));
            }
            RuleDelta large = new RuleDelta(List.of(200L), many);
            assertFalse(engine.takesQuickly(large));
            engine.apply(4, large).close();
            assertEquals(9028, engine.current().size());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> engine.apply(5, new RuleDelta(List.of(200L), many)));
        }
    }

    @Test
    void whereNoNewBaseCanBeMadeTheOldOneStays() throws Exception {
        List<Rule> routes = new ArrayList<>();
        List<Place> places = Place.spread(20);
        for (int i = 0; i < 20; i++) {
            Match match =
                    new Match.Builder()
                            .field(Field.IP_VERSION, Field.VERSION_4)
                            .field(Field.IPV4_DST, i << 16, 0xffff0000)
                            .build();
            routes.add(new Rule(i + 1, 16, match, "a", 0, places.get(i), ""));
        }
        RuleSet first = RuleSet.of("routes", 1, RuleSet.DROP, routes);
        try (Engine engine = Engine.open(first, options("routes"), SOON)) {
            EngineModel model = new EngineModel(first.rules());
            long version = 2;
            Place place = places.get(3);
            for (int k = 0; k < 12; k++) {
                Match none = new Match.Builder().field(Field.IPV4_DST, k << 8, 0x0000ff00).build();
                place = Place.between(place, places.get(4));
                RuleDelta delta = RuleDelta.insert(new Rule(100 + k, 16, none, "b", 0, place, ""));
                model.apply(delta);
                engine.apply(version++, delta).close();
            }
            engine.renewals().await();
            Throwable failure = Objects.requireNonNull(engine.renewals().failure());
            assertTrue(failure instanceof UnsupportedRulesException, failure::toString);
            assertEquals(0, engine.renewals().done());
            EngineModel.assertVersion(
                    engine,
                    engine.current(),
                    new RuleSet("", version - 1, "", model.set(1).rules(), first.layout()));
            // Rules that a base can have again, and enough of them: it is made.
            for (int k = 0; k < 12; k++) {
                RuleDelta delta = new RuleDelta(List.of(100L + k, k + 1L), List.of());
                model.apply(delta);
                engine.apply(version++, delta).close();
            }
            while (engine.renewals().done() == 0) {
                Thread.onSpinWait(); // the next try comes by itself
            }
            assertNull(engine.renewals().failure());
            EngineModel.assertVersion(
                    engine,
                    engine.current(),
                    new RuleSet("", version - 1, "", model.set(1).rules(), first.layout()));
        }
    }

    @Test
    void aVersionThatIsHeldKeepsTheNextBaseAway() throws Exception {
        EngineModel model = model(95, 40, options("tuple"), SOON);
        RuleSet first = model.set(1);
        Random random = TestSeed.random(95);
        try (Engine engine = Engine.open(first, options("tuple"), SOON)) {
            RuleSetVersion held = engine.acquire();
            for (int step = 2; step < 120; step++) {
                RuleDelta delta = model.change(random, 1000L * step);
                model.apply(delta);
                engine.apply(step, delta).close();
                if (step % 20 == 0) {
                    engine.renewals().await();
                }
            }
            engine.renewals().await();
            assertEquals(1, engine.renewals().done(), "bases while the first one is in use");
            EngineModel.assertVersion(engine, held, first);
            held.close();
            RuleDelta delta = model.change(random, 1_000_000);
            model.apply(delta);
            engine.apply(120, delta).close();
            while (engine.renewals().done() < 2) {
                Thread.onSpinWait(); // the engine looks again by itself
            }
            EngineModel.assertVersion(engine, engine.current(), model.set(120));
        }
    }
}
