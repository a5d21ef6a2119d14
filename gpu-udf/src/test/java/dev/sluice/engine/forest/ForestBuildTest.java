package dev.sluice.engine.forest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.engine.testing.RandomRules;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.schemas.testing.TestSeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Forests that are built on several threads. */
class ForestBuildTest {
    /** Enough for several runs in runs. */
    private static final int RULES = 6 * Planner.RUNS_FROM;

    private static Forest build(RuleSet rules, long budget, int threads) {
        return new ForestBuilder(rules, ForestEntries.of(rules), budget).build(threads);
    }

    /** With room for all copies, and with so little that lists stay uncut. */
    @ParameterizedTest
    @CsvSource({"PREFIXES, 3, 2", "IPV4_5_TUPLE, 3, 4", "FIREWALL, 256, 5", "FIREWALL, 3, 6"})
    void theSameRulesGiveTheSameImageOnSeveralThreads(Shape shape, int megabytes, long seed) {
        assertSameImage(shape, megabytes, seed, 4);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({
        "PREFIXES, 256, 1",
        "PREFIXES, 3, 2",
        "IPV4_5_TUPLE, 256, 3",
        "IPV4_5_TUPLE, 3, 4",
        "FIREWALL, 256, 5",
        "FIREWALL, 3, 6"
    })
    void theSameRulesGiveTheSameImageOnAnyNumberOfThreads(Shape shape, int megabytes, long seed) {
        assertSameImage(shape, megabytes, seed, 2, 3, 4, 5);
    }

    private static void assertSameImage(
            Shape shape, int megabytes, long seed, int... numbersOfThreads) {
        RandomRules random = new RandomRules(TestSeed.of(seed));
        RuleSet rules = random.ruleSet(shape, RULES);
        long budget = (long) megabytes << 20;
        Forest one = build(rules, budget, 1);
        for (int threads : numbersOfThreads) {
            assertArrayEquals(
                    one.image().words(),
                    build(rules, budget, threads).image().words(),
                    threads + " threads");
        }
        assertTrue(one.image().bytes() <= budget);
        SameVerdicts.assertServed(
                RuleStory.of(rules.name(), TestSeed.base(), rules, random, 500),
                Subject.ofItsOwnRules("forest", Subject.lookUp(new ForestClassifier(one.image()))));
    }

    @Test
    void aBudgetThatIsTooSmallIsSaidWithTheBytesOnAnyThread() {
        RuleSet rules = new RandomRules(TestSeed.of(7)).ruleSet(Shape.PREFIXES, RULES);
        for (int threads = 1; threads <= 2; threads++) {
            int on = threads;
            MemoryBudgetException refusal =
                    assertThrows(MemoryBudgetException.class, () -> build(rules, 1 << 20, on));
            assertTrue(refusal.neededBytes() > 1 << 20, refusal.getMessage());
        }
    }
}
