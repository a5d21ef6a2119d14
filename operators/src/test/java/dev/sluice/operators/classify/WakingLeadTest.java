package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class WakingLeadTest {
    private static final long LONG_WAIT = 1_000_000_000;

    private final WakingLead lead = new WakingLead();

    /**
     * Wakes often.
     *
     * @param lateness by the number of the time, in ns
     * @return how many times of the last thousand a thread was there before its deadline
     */
    private int wake(LongUnaryOperator lateness) {
        int early = 0;
        for (int time = 0; time < 5_000; time++) {
            long late = lateness.applyAsLong(time);
            early += time >= 4_000 && late < lead.nanos(LONG_WAIT) ? 1 : 0;
            lead.woke(late);
        }
        return early;
    }

    @Test
    void aThreadThatWakesLateIsWokenEarlierUntilItIsThereInTimeMostly() {
        Random random = new Random(3);
        int early = wake(time -> 50_000 + random.nextInt(40_000));
        assertTrue(early > 700 && early < 800, early + " of 1,000");
        long lead = this.lead.nanos(LONG_WAIT);
        assertTrue(lead > 75_000 && lead < 85_000, lead + " ns");
    }

    @Test
    void pausesDoNotMoveItFarAndWhereNothingIsLateThereIsNone() {
        wake(time -> time % 50 == 0 ? 10_000_000 : 70_000);
        long lead = this.lead.nanos(LONG_WAIT);
        assertTrue(lead > 69_000 && lead < 71_000, lead + " ns");
        wake(time -> 0);
        assertTrue(this.lead.nanos(LONG_WAIT) < 1_000);
    }

    @Test
    void itIsASmallPartOfTheWaitForAThreadThatLooksAtTheClockWorks() {
        wake(time -> 1_000_000_000);
        assertEquals(WakingLead.MOST_NANOS, lead.nanos(LONG_WAIT));
        assertEquals(100_000, lead.nanos(2_000_000));
        assertEquals(5_000, lead.nanos(100_000));
    }
}
