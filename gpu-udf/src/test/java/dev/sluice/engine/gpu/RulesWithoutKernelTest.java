package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.RuleSetVersion;
import dev.sluice.engine.exact.ExactFirstAlgorithm;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.toy.ToyAlgorithm;
import dev.sluice.engine.toy.ToyOfTheCpu;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On a host with a GPU, rules that no kernel reads are looked up by the CPU. */
@Timeout(60)
class RulesWithoutKernelTest {
    private final FakeDriver driver = new FakeDriver(1);
    private final RuleStory story = RuleStory.random(TestSeed.of(61), Shape.OPENFLOW, 120, 0, 300);

    @BeforeEach
    void install() {
        FakeDriver.install(driver);
    }

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private static EngineOptions exactFirst(String inner) {
        return EngineOptions.of(Algorithm.of(ExactFirstAlgorithm.LABEL))
                .with(ExactFirstAlgorithm.INNER, Algorithm.of(inner).choice());
    }

    static List<EngineOptions> withoutKernel() {
        return List.of(
                EngineOptions.of(Algorithm.of(ToyOfTheCpu.LABEL)), exactFirst(ToyOfTheCpu.LABEL));
    }

    static List<EngineOptions> withKernel() {
        return List.of(
                EngineOptions.of(Algorithm.of(ToyAlgorithm.LABEL)), exactFirst(ToyAlgorithm.LABEL));
    }

    @ParameterizedTest
    @MethodSource("withoutKernel")
    void thePoolHasNoClassifierForThem(EngineOptions options) {
        Classifier cpu = Engine.compile(story.ruleSet(), options);
        assertFalse(KernelCatalog.reads(cpu.image()));
        String message =
                assertThrows(IllegalStateException.class, () -> KernelCatalog.of(cpu.image()))
                        .getMessage();
        assertEquals("no kernel reads an image of " + options.algorithm(), message);
        try (GpuPool.Use use = new GpuPool(() -> driver).use(GpuPool.Selection.AUTO, 0)) {
            assertNotNull(use);
            assertNull(
                    use.classifier(cpu, cpu, cpu.image(), story.ruleSet(), OffloadPreference.AUTO));
            assertNull(use.classifier(cpu, cpu, cpu.image(), story.ruleSet(), decided()));
            assertEquals(0, use.device().memory().images().count());
        }
        assertEquals(0, driver.held());
    }

    private static OffloadPreference decided() {
        return OffloadPreference.parse("asynchronous,copy,from=1").decided();
    }

    @ParameterizedTest
    @MethodSource("withoutKernel")
    void theCpuClassifiesAlthoughADeviceWasNamed(EngineOptions options) {
        try (Engine engine = open(options)) {
            RuleSetVersion version = engine.current();
            assertFalse(version.onDevice());
            assertNull(version.stage(300));
            assertAnswers(engine);
            assertEquals(0, engine.figures().deviceBatches());
            assertEquals(0, driver.started());
        }
        driver.awaitNothingHeld();
    }

    /** Only the missing kernel made the difference. */
    @ParameterizedTest
    @MethodSource("withKernel")
    void theDeviceClassifiesWhereThereIsAKernel(EngineOptions options) {
        try (Engine engine = open(options)) {
            assertTrue(engine.current().onDevice());
            assertAnswers(engine);
            assertEquals(1, engine.figures().deviceBatches());
        }
        driver.awaitNothingHeld();
    }

    private Engine open(EngineOptions options) {
        return Engine.open(
                story.ruleSet(),
                options.withGpu(GpuPool.Selection.parse("0")).withOffload(decided()));
    }

    private void assertAnswers(Engine engine) {
        HeaderBatch headers = engine.current().newBatch(story.headers().size());
        story.headers().forEach(headers::add);
        SameVerdicts.assertPositions(
                story, "engine-without-kernel", engine.classify(headers).rules());
    }
}
