package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.operators.statistics.StatisticsOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class StatisticsArgumentsTest {
    private static StatisticsOptions parse(String... words) {
        StatisticsArguments arguments = new StatisticsArguments();
        CommandLine line =
                new CommandLine(
                        CommandLine.Model.CommandSpec.create().addMixin("s", spec(arguments)));
        OptionTypes.register(line);
        line.parseArgs(words);
        return arguments.toOptions();
    }

    private static CommandLine.Model.CommandSpec spec(StatisticsArguments arguments) {
        return CommandLine.Model.CommandSpec.forAnnotatedObject(arguments);
    }

    @Test
    void rulesAreCountedUnlessNobodyWants() {
        assertEquals(StatisticsOptions.TOTALS, parse());
        assertEquals(StatisticsOptions.OFF, parse("--no-stats"));
    }

    @ParameterizedTest
    @CsvSource({
        "500ms, 500000000",
        "10s, 10000000000",
        "3m, 180000000000",
        "2h, 7200000000000",
        "1D, 86400000000000",
        "36500d, 3153600000000000000"
    })
    void windowsHaveAUnit(String text, long ns) {
        assertEquals(new StatisticsOptions(true, ns), parse("--stats-window", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "s", "-1s", "0s", "1.5s", "36501d", "99999999999s", "1 s", ""})
    void otherWindowsAreRefusedWithARemedy(String text) {
        RuntimeException e =
                assertThrows(RuntimeException.class, () -> parse("--stats-window", text));
        String message =
                e instanceof ParameterException refused
                        ? UsageErrors.message(refused.getCommandLine(), refused)
                        : e.getMessage();
        assertTrue(message.startsWith("--stats-window " + text + " is "), message);
        assertTrue(message.contains("; write "), message);
    }

    @Test
    void windowsOfNothingAreRefused() {
        assertThrows(ParameterException.class, () -> parse("--no-stats", "--stats-window", "1s"));
    }
}
