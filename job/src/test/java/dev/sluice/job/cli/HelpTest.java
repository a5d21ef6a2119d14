package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Help texts of all commands, those of the laboratory too. */
class HelpTest {
    /** The command and all below it. */
    private static List<CommandLine> all(CommandLine command) {
        List<CommandLine> all = new ArrayList<>(List.of(command));
        command.getSubcommands().values().forEach(sub -> all.addAll(all(sub)));
        return all;
    }

    @Test
    void everyOptionNamesItsValueAndSaysItsDefault() {
        List<String> bad = new ArrayList<>();
        List<CommandLine> commands = all(Main.commandLine(new Main()));
        assertTrue(commands.size() > 15, commands.size() + " commands");
        for (CommandLine command : commands) {
            for (OptionSpec option : command.getCommandSpec().options()) {
                if (option.arity().max() == 0) {
                    continue;
                }
                String name = command.getCommandSpec().qualifiedName() + " " + option.longestName();
                String text = String.join(" ", option.description()).toLowerCase(Locale.ROOT);
                if (option.paramLabel().startsWith("<")) {
                    bad.add(name + " shows " + option.paramLabel());
                }
                if (option.defaultValue() != null && !text.contains("default")) {
                    bad.add(name + " does not say its default");
                }
            }
        }
        assertEquals(List.of(), bad);
    }

    @Test
    void commandsListTheTopicsThatTheyUseAndNoOthers() {
        assertEquals(List.of("--rules-topic"), topicOptions("rules show"));
        assertEquals(List.of("--rules-topic"), topicOptions("rules publish"));
        assertEquals(List.of("--rules-topic", "--dead-letters-topic"), topicOptions("rules log"));
        assertEquals(List.of("--rules-topic", "--verdicts-topic"), topicOptions("verdicts"));
        assertEquals(
                List.of("--packets-topic", "--dead-letters-topic", "--create-topics"),
                topicOptions("export"));
        assertEquals(List.of("--packets-topic", "--create-topics"), topicOptions("load"));
        assertEquals(List.of(), topicOptions("cat"));
        assertEquals(7, topicOptions("run").size());
    }

    private static List<String> topicOptions(String command) {
        CommandLine line = Main.commandLine(new Main());
        for (String word : command.split(" ")) {
            line = line.getSubcommands().get(word);
        }
        return line.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> name.matches("--.*-topics?"))
                .toList();
    }

    @Test
    void theTestsAreNamed() {
        Sluice help = Sluice.run("--help");
        assertTrue(help.out().contains("sluice test"), help.out());
    }
}
