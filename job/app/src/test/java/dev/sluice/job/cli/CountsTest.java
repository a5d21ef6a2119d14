package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Numbers with thousands, millions and billions behind them. */
class CountsTest {
    @Command(name = "numbers")
    private static final class Numbers {
        @Option(names = "--int")
        private int small;

        @Option(names = "--long")
        private Long large = 0L;

        @Option(names = "--double")
        private double real;

        @Option(names = "--list", split = ",")
        private int[] list = {};
    }

    private static Numbers read(String... words) {
        Numbers numbers = new Numbers();
        CommandLine line = new CommandLine(numbers);
        Counts.register(line);
        line.parseArgs(words);
        return numbers;
    }

    @Test
    void suffixesAreDecimalInOptionsOfAllTypes() {
        assertEquals(7, read("--int", "7").small);
        assertEquals(-7, read("--int", "-7").small);
        assertEquals(250_000, read("--int", "250k").small);
        assertEquals(2_500_000, read("--long", "2.5M").large);
        assertEquals(1_000_000_000, read("--long", "1G").large);
        assertEquals(1_000, read("--long", "1K").large);
        assertEquals(Long.MAX_VALUE, read("--long", "9223372036854775807").large);
        assertEquals(1_500, read("--double", "1.5k").real);
        assertEquals(0.25, read("--double", "0.25").real);
        assertEquals(2_000, read("--list", "1,2k").list[1]);
    }

    @ParameterizedTest
    @CsvSource({
        "--int,'',' is no number; write one as in 250000, 250k, 2.5M or 1G'",
        "--int,k,' is no number'",
        "--long,1 M,' is no number'",
        "--long,10G0,' is no number'",
        "--double,NaN,' is no number'",
        "--int,1.5,' is no whole number'",
        "--long,0.0001k,' is no whole number'",
        "--int,3G,' is beyond 2,147,483,647; write a smaller number'",
        "--long,9223372036854775808,' is beyond 9,223,372,036,854,775,807'"
    })
    void whatIsNoNumberIsRefused(String option, String text, String words) {
        ParameterException e = assertThrows(ParameterException.class, () -> read(option, text));
        assertTrue(e.getMessage().contains(": " + text + words), e::getMessage);
    }
}
