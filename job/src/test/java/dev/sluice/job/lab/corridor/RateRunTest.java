package dev.sluice.job.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class RateRunTest {
    private static final long START = 1_700_000_000_000L;

    private static VerdictReaders.Read read(long millis, int headers) {
        return new VerdictReaders.Read(START + millis, headers, 100, START + millis - 20);
    }

    @Test
    void whatLeavesInTheTimeCountsWheneverItIsRead() {
        RateRun run = new RateRun(2, 3);
        run.take(List.of(read(0, 1_000), read(1_999, 1_000)));
        assertEquals(0, run.windows().total(), "while it is warmed");
        run.take(List.of(read(4_999, 7), read(5_000, 1_000)));
        run.take(List.of(read(2_000, 5)));
        assertEquals(12, run.windows().total());
        assertEquals(List.of(5L, 0L, 7L), run.windows().seconds());
        assertEquals(0, run.windows().quantile(0));
        assertEquals(new Millis(20, 20, 20), run.delays());
    }

    @Test
    void verdictsThatDoNotSayWhenTheirPacketsWereSentCountWithoutADelay() {
        RateRun run = new RateRun(0, 1);
        run.take(List.of(new VerdictReaders.Read(START, 4, 100, 0)));
        assertEquals(4, run.windows().total());
        assertTrue(Double.isNaN(run.delays().max()), "a delay since 1970");
        run.take(List.of(read(10, 3)));
        assertEquals(7, run.windows().total());
        assertEquals(new Millis(20, 20, 20), run.delays());
    }

    @Test
    void nothingHasBegunBeforeTheFirstVerdict() {
        RateRun run = new RateRun(0, 1);
        assertFalse(run.begun());
        run.take(List.of(read(0, 1)));
        assertTrue(run.begun());
        assertTrue(run.over(), "its time is long past");
    }
}
