package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What is said last when a command is interrupted. */
class LastLineTest {
    private static String text(long lines, String... command) {
        CommandLine line = Main.commandLine(new Main());
        for (String word : command) {
            line = line.getSubcommands().get(word);
        }
        return LastLine.text(line.getCommandSpec(), lines);
    }

    @Test
    void aCommandThatPrintsLinesSaysHowMany() {
        assertEquals(
                "sluice: interrupted: 1,057 lines were printed, and it had not come to its end",
                text(1_057, "headers"));
        assertEquals(
                "sluice: interrupted: it had not come to its end, and has printed nothing",
                text(0, "rules", "show"));
    }

    @Test
    void aCommandThatKnowsMoreSaysThat() {
        assertTrue(text(0, "rules", "publish").contains("whole or not at all"));
        assertEquals("sluice: interrupted: nothing was begun", text(3, "replay"));
        assertEquals("sluice: interrupted: no job was started here", text(0, "run"));
    }

    @Test
    void everyCommandHasALastLineOrSaysItItself() {
        List<String> silent = new ArrayList<>();
        visit(Main.commandLine(new Main()), silent);
        assertEquals(
                List.of(
                        "sluice broker",
                        "sluice classify",
                        "sluice export",
                        "sluice filter",
                        "sluice load"),
                silent.stream().sorted().toList());
    }

    private static void visit(CommandLine command, List<String> silent) {
        if (LastLine.text(command.getCommandSpec(), 0).isEmpty()) {
            silent.add(command.getCommandSpec().qualifiedName());
        }
        command.getSubcommands().values().forEach(sub -> visit(sub, silent));
    }
}
