package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.job.hits.Pace;
import org.junit.jupiter.api.Test;

/** A rate that leaves out what came before the first verdicts. */
class ArrivalsTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void packetsBehindTheFirstVerdictsTellTheRate() {
        Arrivals arrivals = new Arrivals(10 * SECOND, 2 * SECOND);
        arrivals.at(0, 14 * SECOND);
        arrivals.at(100, 16 * SECOND);
        arrivals.at(600, 17 * SECOND);
        arrivals.at(1_100, 20 * SECOND);
        arrivals.at(1_100, 30 * SECOND);
        Pace pace = arrivals.pace(31 * SECOND);
        assertEquals(6.0, pace.startSeconds());
        assertEquals(250.0, pace.packetsPerSecond());
    }

    @Test
    void verdictsOfOneMomentTellNone() {
        Arrivals arrivals = new Arrivals(10 * SECOND, 2 * SECOND);
        arrivals.at(100, 16 * SECOND);
        arrivals.at(900, 17 * SECOND);
        Pace pace = arrivals.pace(17 * SECOND);
        assertEquals(6.0, pace.startSeconds());
        assertNull(pace.packetsPerSecond());
        assertNull(new Arrivals(0, SECOND).pace(9 * SECOND).packetsPerSecond());
    }
}
