package dev.sluice.job.watch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When the status comes, and where it stands. */
class JobWatchTest {
    private static final long SECOND = 1_000_000_000L;

    private final StringWriter err = new StringWriter();
    private long now = 77;
    private JobFigures figures = JobFigures.NONE;

    private static JobFigures version(double number) {
        return new JobFigures(Map.of(JobMetric.VERSION, number), 0, 0, -1);
    }

    private JobWatch watch(StatusLine line, @Nullable Duration every) {
        return new JobWatch(() -> figures, line, every, () -> now);
    }

    private static StatusLine plain(StringWriter err) {
        return StatusLine.open(new PrintWriter(err), false, 0);
    }

    private long lines() {
        return err.toString().lines().count();
    }

    @Test
    void withoutATerminalALineComesAtEachInterval() {
        JobWatch watch = watch(plain(err), Duration.ofSeconds(10));
        for (int second = 0; second < 35; second++) {
            watch.look();
            now += SECOND;
        }
        assertEquals(3, lines(), err.toString());
        assertTrue(err.toString().startsWith("sluice: in 0/s, out 0/s | waits for rules | "));
    }

    @Test
    void whatIsOffIsNeverShown() {
        JobWatch watch = watch(plain(err), null);
        now += 1_000 * SECOND;
        watch.look();
        assertEquals("", err.toString());
    }

    @Test
    void anotherVersionInForceIsSaidOnceAndAtOnce() {
        JobWatch watch = watch(plain(err), Duration.ofHours(1));
        for (double version : new double[] {-1, 4, 4, 5}) {
            figures = version(version);
            now += SECOND;
            watch.look();
        }
        assertEquals(
                "sluice: version 4 of the rules is in force in all tasks\nsluice: version 5 of the rules is in force in all tasks\n",
                err.toString().replace("\r\n", "\n"));
    }

    @Test
    void onATerminalTheStatusIsTheLastLineAndAllElseStandsAbove() {
        PrintStream before = System.err;
        ByteArrayOutputStream screen = new ByteArrayOutputStream();
        System.setErr(new PrintStream(screen, true, UTF_8));
        try {
            PrintStream terminal = System.err;
            try (StatusLine line = StatusLine.open(new PrintWriter(err), true, 12)) {
                line.show("0123456789abcdef");
                System.err.println("a warning");
                line.show("next");
            }
            assertSame(terminal, System.err, "stderr is what it was");
        } finally {
            System.setErr(before);
        }
        String erase = "\r\033[K";
        assertEquals(
                erase + "0123456789a" + erase + "a warning\n0123456789a" + erase + "next" + erase,
                screen.toString(UTF_8).replace("\r\n", "\n"));
        assertEquals("", err.toString());
    }
}
