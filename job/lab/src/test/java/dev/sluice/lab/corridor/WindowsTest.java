package dev.sluice.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class WindowsTest {
    private static final long START = 1_700_000_000_000L;

    /** 10 in the second second, then 40, 40, 40 and in the last half second 20. */
    private static Windows windows() {
        Windows windows = new Windows(START);
        windows.add(START + 1_550, 10);
        for (int second = 2; second < 5; second++) {
            for (int tenth = 0; tenth < 10; tenth++) {
                windows.add(START + 1_000L * second + 100L * tenth + 7, 4);
            }
        }
        windows.add(START + 5_420, 20);
        return windows;
    }

    @Test
    void secondsAreCountedFromTheStart() {
        assertEquals(150, windows().total());
        assertEquals(List.of(0L, 10L, 40L, 40L, 40L, 20L), windows().seconds());
        assertEquals(1.5, windows().firstSeconds());
    }

    @Test
    void theSteadyRateLeavesOutWhatLeftBefore() {
        Windows windows = windows();
        assertEquals(2.7, windows.secondsTo(0.25), 1e-9); // 38 of 150 had left by then
        assertEquals((150 - 38) / (5.5 - 2.7), windows.rateAfter(0.25), 1e-9);
        assertEquals(40, windows.medianAfter(0.25));
        assertEquals(3, windows.secondsToReach(36));
        assertEquals(-1, windows.secondsToReach(41));
    }

    @Test
    void whatLeavesInOneTenthOfASecondHasItsRate() {
        Windows windows = new Windows(START);
        windows.add(START + 1_010, 100);
        windows.add(START + 2_020, 300);
        windows.add(START + 2_030, 500);
        assertEquals(8_000, windows.rateAfter(0.25), 1e-9);
    }

    @Test
    void nothingLeavesNothing() {
        Windows none = new Windows(START);
        assertEquals(0, none.rateAfter(0.25));
        assertEquals(0, none.medianAfter(0.25));
        assertEquals(List.of(), none.seconds());
    }

    @Test
    void aClockThatGoesBackCountsInTheFirstWindow() {
        Windows windows = new Windows(START);
        windows.add(START - 5_000, 3);
        assertEquals(List.of(3L), windows.seconds());
    }
}
