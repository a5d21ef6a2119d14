package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.LayoutMismatchException;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import dev.sluice.schemas.testing.TestSeed;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The front door: versions come and go, and each batch is answered by its own. */
class EngineTest {
    private static final int HEADERS = 500;
    private static final EngineOptions TUPLE =
            EngineOptions.of(Algorithm.of("tuple")).withGpu(GpuPool.Selection.OFF);

    @AfterEach
    void uninstall() {
        FakeDriver.uninstall();
    }

    private static RuleSet rules(long number) {
        return story(number, 50).ruleSet();
    }

    private static RuleStory story(long number, int rules) {
        return RuleStory.random(TestSeed.of(number), Shape.IPV4_5_TUPLE, rules, 0, HEADERS);
    }

    private static void fill(HeaderBatch headers, RuleSet rules) {
        RandomRules random = new RandomRules(TestSeed.of(11));
        for (int i = 0; i < HEADERS; i++) {
            headers.add(random.header(rules));
        }
    }

    private static void assertOracles(RuleSet rules, HeaderBatch asked, VerdictBatch verdicts) {
        RuleStory story = RuleStory.of("version", TestSeed.base(), rules, asked);
        SameVerdicts.assertPositions(story, "engine", verdicts.rules());
    }

    @Test
    void aVersionStaysUsableUntilItIsClosed() {
        try (Engine engine = Engine.open(rules(1), TUPLE)) {
            RuleSetVersion first = engine.acquire();
            RuleSetVersion second = engine.load(rules(2));
            assertSame(second, engine.current());
            assertNotSame(first, second);
            for (RuleSetVersion version : List.of(first, second)) {
                HeaderBatch headers = version.newBatch(HEADERS);
                fill(headers, version.rules());
                VerdictBatch verdicts = new VerdictBatch(HEADERS);
                version.submit(headers, verdicts).await();
                assertOracles(version.rules(), headers, verdicts);
            }
            first.retain().close();
            first.close();
            first.close();
            assertThrows(IllegalStateException.class, first::retain);
            HeaderBatch headers = first.newBatch(1);
            IllegalStateException closed =
                    assertThrows(
                            IllegalStateException.class,
                            () -> first.submit(headers, new VerdictBatch(1)));
            assertTrue(closed.getMessage().startsWith("version 1 of 'ipv4-5-tuple-50' is closed"));
            assertThrows(IllegalStateException.class, () -> first.stage(8));
        }
    }

    @Test
    void withoutRulesThereIsNothingToAsk() {
        try (Engine engine = Engine.open(TUPLE, 0)) {
            assertThrows(IllegalStateException.class, engine::current);
            assertEquals(EngineFigures.NONE, engine.figures());
            assertEquals("tuple", engine.load(rules(3)).algorithm().label());
        }
    }

    @Test
    void rulesThatCannotBeCompiledLeaveTheVersionInForce() {
        try (Engine engine = Engine.open(rules(1), TUPLE.withBudget(1 << 20))) {
            RuleSetVersion before = engine.current();
            RuleSet large = story(9, 60_000).ruleSet();
            assertThrows(MemoryBudgetException.class, () -> engine.load(large));
            assertSame(before, engine.current());
            assertTrue(before.explanation().startsWith("tuple: as the options ask for"));
            assertFalse(before.onDevice());
            assertTrue(before.bytes() > 0 && before.buildNanos() > 0);
        }
    }

    @Test
    void aBatchOfAnotherLayoutIsRefused() {
        try (Engine engine = Engine.open(rules(1), TUPLE)) {
            HeaderBatch headers = new HeaderBatch(HeaderLayout.complete(), 1);
            assertThrows(
                    LayoutMismatchException.class,
                    () -> engine.classify(headers, new VerdictBatch(1)));
        }
    }

    @Test
    void aDeviceAnswersWhereTheOptionsAllowOne() {
        FakeDriver.install(new FakeDriver(1));
        EngineOptions options =
                EngineOptions.of(Algorithm.of("tuple"))
                        .withGpu(GpuPool.Selection.parse("0"))
                        .withOffload(OffloadPreference.AUTO.decided());
        RuleSet rules = rules(4);
        try (Engine engine = Engine.open(rules, options)) {
            RuleSetVersion version = engine.current();
            assertTrue(version.onDevice());
            HeaderBatch headers = version.newBatch(HEADERS);
            fill(headers, rules);
            VerdictBatch verdicts = new VerdictBatch(HEADERS);
            version.submit(headers, verdicts).await();
            assertOracles(rules, headers, verdicts);

            StagedHeaders staged = Objects.requireNonNull(version.stage(HEADERS));
            for (int p = 0; p < version.layout().size(); p++) {
                for (int i = 0; i < HEADERS; i++) {
                    staged.words().put(p * staged.stride() + i, headers.word(p, i));
                }
            }
            VerdictBatch again = new VerdictBatch(HEADERS);
            PendingVerdicts pending = staged.submit(HEADERS, version.newBatch(HEADERS), again);
            pending.await();
            assertOracles(rules, headers, again);

            EngineFigures figures = engine.figures();
            assertEquals(2, figures.deviceBatches());
            assertEquals(2 * HEADERS, figures.deviceHeaders());
            assertEquals(0, figures.batchesUnderWay());
            assertTrue(figures.deviceImageBytes() > 0);

            // What an engine counts goes on when its rules are compiled anew.
            engine.load(rules).close();
            engine.current().submit(headers, verdicts).await();
            assertEquals(3, engine.figures().deviceBatches());
            engine.current().rest();
        }
        try (Engine engine = Engine.open(rules, options.withGpu(GpuPool.Selection.OFF))) {
            assertNull(engine.current().stage(HEADERS));
            assertEquals(EngineFigures.NONE, engine.figures());
        }
    }
}
