package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.testing.TestSeed;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class QuantileEstimateTest {
    /**
     * Learns from many times.
     *
     * @param time by its number, in ns
     * @return how many of the last thousand were below what was known of them
     */
    private static int learn(QuantileEstimate usual, LongUnaryOperator time) {
        int below = 0;
        for (int number = 0; number < 5_000; number++) {
            long took = time.applyAsLong(number);
            below += number >= 4_000 && took < usual.nanos() ? 1 : 0;
            usual.took(took);
        }
        return below;
    }

    @Test
    void asManyTimesAreBelowItAsWereAskedFor() {
        for (int percent : new int[] {50, 75, 90}) {
            QuantileEstimate usual = new QuantileEstimate(percent, 1_000_000);
            assertEquals(0, usual.nanos());
            Random random = TestSeed.random(percent);
            int below = learn(usual, number -> 50_000 + random.nextInt(40_000));
            assertTrue(Math.abs(below - 10 * percent) < 50, below + " of 1,000 for " + percent);
            long expected = 50_000 + 400L * percent;
            assertTrue(Math.abs(usual.nanos() - expected) < 5_000, usual.nanos() + " ns");
        }
    }

    @Test
    void pausesDoNotMoveItFarAndItFollowsWhatBecomesQuicker() {
        QuantileEstimate usual = new QuantileEstimate(75, 1_000_000);
        learn(usual, number -> number % 50 == 0 ? 10_000_000 : 70_000);
        assertTrue(usual.nanos() > 69_000 && usual.nanos() < 71_000, usual.nanos() + " ns");
        learn(usual, number -> 0);
        assertTrue(usual.nanos() < 1_000, usual.nanos() + " ns");
    }

    @Test
    void itIsNeverLongerThanItMayBe() {
        QuantileEstimate usual = new QuantileEstimate(75, 100_000);
        learn(usual, number -> 1_000_000_000);
        assertEquals(100_000, usual.nanos());
    }
}
