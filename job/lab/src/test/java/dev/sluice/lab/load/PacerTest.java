package dev.sluice.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When blocks are sent, by a clock of the test's. */
class PacerTest {
    private static final int BLOCK = 1_000;
    private static final long MILLI = 1_000_000;

    private final FakeClock clock = new FakeClock();

    /** A pacer of a block a millisecond. */
    private Pacer started(long lastsNanos) {
        Pacer pacer = new Pacer(1_000_000, lastsNanos, clock);
        pacer.start();
        return pacer;
    }

    private static boolean send(Pacer pacer, long block) {
        return pacer.await(block * BLOCK, BLOCK);
    }

    @Test
    void aBlockIsSentWhenItsLastHeaderIsDue() {
        Pacer pacer = started(Long.MAX_VALUE);
        for (int block = 1; block <= 10_000; block++) {
            assertTrue(send(pacer, block));
            assertEquals(block * MILLI, pacer.elapsedNanos());
        }
        assertEquals(0, pacer.movedNanos());
    }

    @Test
    void aLateLoadCatchesUpWithoutABurst() {
        Pacer pacer = started(Long.MAX_VALUE);
        assertTrue(send(pacer, 1));
        clock.pass(100 * MILLI);
        long before = pacer.elapsedNanos();
        int atOnce = 1;
        int block = 2;
        assertTrue(send(pacer, block++));
        for (; pacer.elapsedNanos() > block * MILLI; block++) {
            assertTrue(send(pacer, block));
            long gap = pacer.elapsedNanos() - before;
            before = pacer.elapsedNanos();
            if (gap == 0) {
                atOnce++;
            } else {
                assertEquals(MILLI * 4 / 5, gap, 1, "1.25 times the rate");
            }
        }
        assertEquals(2, atOnce);
        assertEquals(490, block, 5, "a fifth of a block a block, for 98 of them");
        assertTrue(send(pacer, block));
        assertEquals(block * MILLI, pacer.elapsedNanos(), MILLI);
        assertEquals(0, pacer.movedNanos());
    }

    @Test
    void moreThanASecondIsNotMadeUpFor() {
        Pacer pacer = started(Long.MAX_VALUE);
        assertTrue(send(pacer, 1));
        clock.pass(5_000 * MILLI);
        assertTrue(send(pacer, 2));
        assertEquals(4_999 * MILLI, pacer.movedNanos());
        assertTrue(send(pacer, 3));
        assertEquals(5_002 * MILLI, pacer.elapsedNanos());
        assertTrue(send(pacer, 4));
        assertEquals(5_003 * MILLI, pacer.elapsedNanos());
        assertEquals(4_999 * MILLI, pacer.movedNanos());
    }

    @Test
    void blocksOfSeveralSendersComeOneAfterTheOther() {
        Pacer pacer = started(Long.MAX_VALUE);
        clock.pass(50 * MILLI);
        long last = 0;
        int atOnce = 0;
        for (int block = 1; block <= 40; block++) { // whichever sender asks
            assertTrue(send(pacer, block));
            atOnce += pacer.elapsedNanos() == 50 * MILLI ? 1 : 0;
            last = pacer.elapsedNanos();
        }
        assertEquals(2, atOnce);
        assertEquals(50 * MILLI + 38 * MILLI * 4 / 5, last, 40);
    }

    @Test
    void shortBlocksMayGoTogetherForAQuarterOfAMillisecond() {
        Pacer pacer = new Pacer(100_000_000, Long.MAX_VALUE, clock);
        pacer.start();
        clock.pass(MILLI);
        int atOnce = 0;
        for (int block = 1; block <= 100; block++) { // of 10 µs each
            assertTrue(send(pacer, block));
            atOnce += pacer.elapsedNanos() == MILLI ? 1 : 0;
        }
        assertEquals(32, atOnce, 1); // at 8 µs each
    }

    @Test
    void theTimeIsKept() {
        Pacer pacer = started(10 * MILLI);
        int sent = 0;
        while (send(pacer, sent + 1)) {
            sent++;
        }
        assertEquals(10, sent);
        assertTrue(pacer.elapsedNanos() <= 10 * MILLI);
    }

    @Test
    void withoutARateNobodyRests() {
        Pacer pacer = new Pacer(0, 10 * MILLI, clock);
        pacer.start();
        for (int block = 1; block < 1_000; block++) {
            assertTrue(send(pacer, block));
        }
        assertEquals(0, clock.rests());
        clock.pass(10 * MILLI);
        assertFalse(send(pacer, 1_000));
    }

    @Test
    void aStoppedLoadWaitsForNothing() {
        for (double rate : new double[] {0, 1}) {
            Pacer pacer = new Pacer(rate, Long.MAX_VALUE, clock);
            pacer.start();
            pacer.stop();
            assertFalse(send(pacer, 1));
        }
        assertEquals(0, clock.rests());
    }
}
