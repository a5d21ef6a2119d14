package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.util.List;

/** Errors as a user meets them: one clear line, a non-zero status, no stack trace. */
final class ErrorLines {
    private ErrorLines() {}

    /** A failure prints one line; wrong usage a second one, which says where help is. */
    static void assertOneLine(Sluice run, int status, String... parts) {
        assertEquals(status, run.status(), run.err());
        List<String> lines = run.err().lines().toList();
        assertEquals(status, lines.size(), run.err());
        if (status == 2) {
            assertTrue(lines.get(1).matches("sluice: see sluice[a-z ]* --help"), run.err());
        }
        assertFalse(run.err().contains("\tat "), run.err());
        for (String part : parts) {
            assertTrue(run.err().contains(part), run.err());
        }
    }
}
