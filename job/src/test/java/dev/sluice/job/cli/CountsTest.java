package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers with thousands, millions and billions behind them. */
class CountsTest {
    @Test
    void suffixesAreDecimal() {
        assertEquals(7, Counts.parse("--rate", "7"));
        assertEquals(250_000, Counts.parse("--rate", "250k"));
        assertEquals(2_500_000, Counts.parse("--rate", "2.5M"));
        assertEquals(1_000_000_000, Counts.parse("--rate", "1G"));
        assertEquals(1_000, Counts.parse("--rate", "1K"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0.0M",
                "-1",
                "k",
                "1.5",
                "0.0001k",
                "1e6",
                "1 M",
                "10G0",
                "999999999999999999G"
            })
    void whatIsNoNumberIsRefusedByName(String text) {
        UsageException e =
                assertThrows(UsageException.class, () -> Counts.parse("--headers", text));
        assertTrue(e.getMessage().startsWith("--headers " + text + " is no number"), e::getMessage);
    }
}
