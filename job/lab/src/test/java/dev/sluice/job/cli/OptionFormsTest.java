package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Durations, sizes and numbers have one form in the options of all commands. */
class OptionFormsTest {
    private static final Set<Class<?>> NUMBERS =
            Set.of(int.class, Integer.class, long.class, Long.class, double.class, Double.class);

    /** A text that is none of a label's, and what is said of it, by labels. */
    private static final Map<String, String> REFUSALS =
            Map.of(
                    "DURATION", " 3x is no duration; write a number with us, ms, s, m, h or d",
                    "SIZE", " 3x is no size; write a number of bytes, or 512m or 2g",
                    "TIME", " 3x is no time; write 2026-11-22T14:00:00Z, with its zone",
                    "NUMBER", " 3x is no number; write one as in 250000, 250k, 2.5M or 1G");

    /** Which of the forms an option has: by its label, or by its type; none if it names a line. */
    private static String form(OptionSpec option) {
        Class<?> type = option.auxiliaryTypes()[0];
        boolean number = NUMBERS.contains(type) && !option.paramLabel().equals("LINE");
        return REFUSALS.containsKey(option.paramLabel())
                ? option.paramLabel()
                : number ? "NUMBER" : "";
    }

    private static List<String> refused(String form) {
        List<String> wrong = new ArrayList<>();
        int options = 0;
        for (CommandLine command : HelpTest.all(Main.commandLine())) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                if (option.arity().max() == 0 || !form(option).equals(form)) {
                    continue;
                }
                options++;
                String name = option.longestName();
                try {
                    command.parseArgs(name + "=3x");
                    wrong.add(command.getCommandSpec().qualifiedName() + " takes " + name + " 3x");
                } catch (ParameterException e) {
                    String text = UsageErrors.message(command, e);
                    if (!text.startsWith(name + REFUSALS.get(form))) {
                        wrong.add(command.getCommandSpec().qualifiedName() + ": " + text);
                    }
                }
            }
        }
        assertTrue(options > 4, options + " options");
        return wrong;
    }

    @Test
    void durationsAreRefusedAlikeInAllCommands() {
        assertEquals(List.of(), refused("DURATION"));
    }

    @Test
    void sizesAreRefusedAlikeInAllCommands() {
        assertEquals(List.of(), refused("SIZE"));
    }

    @Test
    void timesAreRefusedAlikeInAllCommands() {
        assertEquals(List.of(), refused("TIME"));
    }

    @Test
    void numbersAreRefusedAlikeInAllCommands() {
        assertEquals(List.of(), refused("NUMBER"));
    }

    /** So that the next option of a time or a size has the label that the others have. */
    @Test
    void optionsOfTimesAndSizesHaveTheirLabels() {
        List<String> others = new ArrayList<>();
        for (CommandLine command : HelpTest.all(Main.commandLine())) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                boolean labelled = REFUSALS.containsKey(option.paramLabel());
                String label = option.paramLabel();
                boolean unit = label.matches("SECONDS|MILLIS|MICROS|MINUTES|BYTES|MIB|TIME-?SPAN");
                boolean named =
                        option.longestName()
                                .matches(
                                        "--(.*-)?(seconds|millis|minutes|interval|timeout|every|memory|bytes)");
                if (unit
                        || named
                                && !labelled
                                && !Set.of("--snapshot-every", "--conntrack-timeout")
                                        .contains(option.longestName())) {
                    others.add(command.getCommandSpec().qualifiedName() + option.longestName());
                }
            }
        }
        assertEquals(List.of(), others);
    }

    @Test
    void namesAreReadInAnyCaseAndRefusedWhenTheyAreParsed() {
        Sluice fields = Sluice.run("headers", "x", "--header-fields", "ttl,tos");
        assertEquals(2, fields.status());
        assertTrue(fields.err().contains("--header-fields tos is no field"), fields.err());
        assertEquals(RoundingMode.HALF_UP, Choice.parse("half-up", RoundingMode.class));
        assertEquals(RoundingMode.HALF_UP, Choice.parse("HALF_UP", RoundingMode.class));
    }

    @Test
    void bareNumbersKeepTheUnitOfTheirOption() {
        assertEquals(Duration.ofMinutes(5), new Times.InMinutes().convert("5"));
        assertEquals(Duration.ofHours(2), new Times.InMinutes().convert("2h"));
        assertEquals(Duration.ofSeconds(90), new Times.InSeconds().convert("90"));
        assertEquals(Duration.ofMillis(7), new Times.InMillis().convert("7"));
        assertEquals(Duration.ofSeconds(2), new Times.InMillis().convert("2S"));
        assertEquals(Duration.ofNanos(9000), new Times.InMicros().convert("9"));
        Sluice part = Sluice.run("advise", "--rules", "x", "--seconds", "999ms");
        assertEquals(2, part.status());
        assertTrue(
                part.err()
                        .startsWith("sluice: --seconds 999ms is below 1s, the least that it takes"),
                part.err());
    }

    @Test
    void sizesHaveTheirLettersInEitherCase() {
        for (String text : Arrays.asList("2g", "2G", "2048m", "2048M", "2097152K", "2147483648")) {
            assertEquals(2L << 30, new Sizes().convert(text));
        }
    }
}
