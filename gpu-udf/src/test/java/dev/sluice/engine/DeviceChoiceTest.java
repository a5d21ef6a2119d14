package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.bases.RenewalBounds;
import dev.sluice.engine.choice.CompileOptions;
import dev.sluice.engine.choice.Compiled;
import dev.sluice.engine.choice.Compiler;
import dev.sluice.engine.choice.FollowingBases;
import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Choice of {@code auto} on a fake device that tells the times it is told to. */
@Timeout(120)
class DeviceChoiceTest {
    private static final int OUT_OF_MEMORY = 2;
    private static final int LAUNCH_FAILURE = 719;
    private static final Algorithm FOREST = Algorithm.of("forest");

    private final FakeDriver fake = new FakeDriver(1);
    private final FaultInjector driver = new FaultInjector(fake);
    private final RuleStory story =
            RuleStory.random(TestSeed.of(18), Shape.ACCESS_LIST, 200, 0, 600);

    @BeforeEach
    void install() {
        FakeDriver.install(driver);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private static EngineOptions auto(String mode) {
        return EngineOptions.DEFAULTS
                .withGpu(GpuPool.Selection.parse("0"))
                .withOffload(OffloadPreference.parse(mode).decided());
    }

    /** The device says that an algorithm's kernels are ten times as fast as all others. */
    private void prefer(Algorithm algorithm) {
        fake.takes(kernel -> KernelCatalog.names(algorithm).contains(kernel) ? 1 : 10);
    }

    private void assertAnswers(Engine engine) {
        HeaderBatch headers = engine.current().newBatch(story.headers().size());
        story.headers().forEach(headers::add);
        VerdictBatch verdicts = engine.classify(headers);
        SameVerdicts.assertPositions(story, "two images", verdicts.rules());
    }

    @ParameterizedTest
    @ValueSource(strings = {"forest", "merged-tuple", "pairs"})
    void aDeviceGetsWhatIsFasterThere(String label) {
        Algorithm there = Algorithm.of(label);
        prefer(there);
        try (Engine engine = Engine.open(story.ruleSet(), auto("copy"))) {
            RuleSetVersion version = engine.current();
            assertEquals(Optional.of(there), version.deviceAlgorithm());
            assertEquals("rfc", version.algorithm().label());
            String reason = version.explanation();
            assertTrue(reason.startsWith("on the CPU rfc: "), reason);
            assertTrue(reason.contains("; on device 0 " + label + ": "), reason);
            assertAnswers(engine);
            assertEquals(1, engine.figures().deviceBatches());
        }
        fake.awaitNothingHeld();
    }

    @Test
    void smallBatchesAreAnsweredByTheCpusImage() {
        prefer(FOREST);
        int more = story.headers().size() + 1;
        try (Engine engine = Engine.open(story.ruleSet(), auto("copy,from=" + more))) {
            assertEquals(Optional.of(FOREST), engine.current().deviceAlgorithm());
            assertAnswers(engine);
            assertEquals(0, engine.figures().deviceBatches());
            assertEquals(1, engine.figures().cpuBatches());
        }
        fake.awaitNothingHeld();
    }

    /** A second image is worth it only where it is clearly faster. */
    @Test
    void whereNothingIsFasterTheDeviceTakesTheCpusImage() {
        try (Engine engine = Engine.open(story.ruleSet(), auto("copy"))) {
            RuleSetVersion version = engine.current();
            assertEquals(Optional.of(version.algorithm()), version.deviceAlgorithm());
            assertTrue(version.explanation().contains("; on device 0 rfc: "));
            assertAnswers(engine);
        }
        fake.awaitNothingHeld();
    }

    @Test
    void anAlgorithmThatOptionsNameIsCompiledOnceAndNotMeasured() {
        prefer(FOREST);
        EngineOptions options = auto("copy").withAlgorithm(Algorithm.of("tuple"));
        try (Engine engine = Engine.open(story.ruleSet(), options)) {
            assertEquals(Optional.of(Algorithm.of("tuple")), engine.current().deviceAlgorithm());
            assertEquals(0, fake.started());
        }
        fake.awaitNothingHeld();
    }

    /** Whatever fails in the measuring, the CPU's choice serves, on the device if it comes back. */
    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"ALLOCATE", "LAUNCH"})
    void aDeviceThatFailsInTheMeasuringTakesTheCpusChoice(FaultInjector.Point point) {
        prefer(FOREST);
        Engine engine = Engine.open(auto("copy"), 0);
        try (engine) {
            driver.fail(point, 1, LAUNCH_FAILURE);
            engine.load(story.ruleSet()).close();
            RuleSetVersion version = engine.current();
            assertEquals(Optional.of(version.algorithm()), version.deviceAlgorithm());
            assertAnswers(engine);
            assertEquals(1, engine.figures().deviceBatches());
        }
        fake.awaitNothingHeld();
    }

    @Test
    void aDeviceWithoutRoomForTheHeadersOfATrialTakesTheCpusChoice() {
        prefer(FOREST);
        try (Engine engine = Engine.open(auto("copy"), 0)) {
            driver.fail(FaultInjector.Point.ALLOCATE, 1, OUT_OF_MEMORY);
            engine.load(story.ruleSet()).close();
            assertEquals("rfc", engine.current().deviceAlgorithm().orElseThrow().label());
            assertAnswers(engine);
        }
        fake.awaitNothingHeld();
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aBatchThatFailsOnTheDeviceIsAnsweredByTheCpusImage(FaultInjector.Point point) {
        prefer(FOREST);
        try (Engine engine = Engine.open(story.ruleSet(), auto("copy"))) {
            driver.fail(point, 1, LAUNCH_FAILURE);
            assertAnswers(engine);
            assertEquals(1, engine.figures().fallBacks());
            assertTrue(engine.figures().resting());
            assertAnswers(engine);
        }
        fake.awaitNothingHeld();
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped", "persistent,mapped"})
    void rulesThatChangeAreCompiledForBothAndAnsweredByBoth(String mode) {
        prefer(FOREST);
        ChangingRules changing = new ChangingRules(TestSeed.of(19), Shape.ACCESS_LIST, 80);
        for (int step = 0; step < 60; step++) {
            changing.replace(changing.below(4), changing.below(5));
        }
        Set<String> served = new HashSet<>();
        List<EngineFigures> figures = new ArrayList<>();
        List<Long> renewed = new ArrayList<>();
        SameVerdicts.assertServed(
                changing.story("two-images", 300),
                EngineSubject.of(
                        "two-images-",
                        auto(mode),
                        new RenewalBounds(40, 1_000_000, 1, 10),
                        engine -> {
                            RuleSetVersion last = engine.current();
                            last.deviceAlgorithm().ifPresent(there -> served.add(there.label()));
                            assertFalse(last.algorithm().equals(FOREST));
                            figures.add(engine.figures());
                            renewed.add(engine.renewals().done());
                        }));
        assertEquals(Set.of("forest"), served);
        assertTrue(renewed.get(0) > 0, "no base was renewed");
        assertTrue(figures.get(0).deviceBatches() > 0, "the device answered nothing");
        assertEquals(0, figures.get(0).fallBacks());
        fake.awaitNothingHeld();
    }

    /** Rules that become half or twice as many are measured anew, on the device, too. */
    @Test
    void theDeviceIsAskedAgainWhenRulesAreManyMore() {
        prefer(FOREST);
        RuleSet many = RuleStory.random(TestSeed.of(20), Shape.ACCESS_LIST, 500, 0, 1).ruleSet();
        try (GpuPool.Use use = GpuPool.shared().use(GpuPool.Selection.parse("0"), 0)) {
            Compiler compiler = new Compiler(CompileOptions.DEFAULTS);
            RuleSet rules = story.ruleSet();
            Compiled first = compiler.compileExplained(rules, use);
            FollowingBases following = compiler.following(first, rules.size(), use);
            assertEquals(FOREST, first.deviceAlgorithm());
            Algorithm other = Algorithm.of("merged-tuple");
            prefer(other);
            int measured = fake.started();
            assertEquals(FOREST, following.compile(rules, true).deviceAlgorithm());
            Compiled without = following.compile(rules, false);
            assertEquals(without.algorithm(), without.deviceAlgorithm());
            assertEquals(measured, fake.started());
            assertEquals(other, following.compile(many, true).deviceAlgorithm());
            assertTrue(fake.started() > measured);
            assertEquals(other, following.compile(many, true).deviceAlgorithm());
        }
        fake.awaitNothingHeld();
    }
}
