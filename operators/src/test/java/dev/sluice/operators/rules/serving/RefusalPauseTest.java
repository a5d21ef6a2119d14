package dev.sluice.operators.rules.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalPauseTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // clocks go over the end
    private final RefusalPause pause = new RefusalPause(now::get);

    @Test
    void pausesDoubleUpToAMinuteAndBeginAnewAfterAReset() {
        assertEquals(0, pause.left());
        List<Long> seconds = new ArrayList<>();
        for (int refusal = 0; refusal < 8; refusal++) {
            pause.refused();
            seconds.add(TimeUnit.NANOSECONDS.toSeconds(pause.left()));
            now.addAndGet(pause.left());
            assertEquals(0, pause.left());
        }
        assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L), seconds);
        pause.reset();
        assertEquals(0, pause.left());
        pause.refused();
        assertEquals(RefusalPause.FIRST_NANOS, pause.left());
    }
}
