package dev.sluice.job.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Help texts of all commands, those of the laboratory too. */
class HelpTest {
    /** The command and all below it. */
    static List<CommandLine> all(CommandLine command) {
        List<CommandLine> all = new ArrayList<>(List.of(command));
        command.getSubcommands().values().forEach(sub -> all.addAll(all(sub)));
        return all;
    }

    @Test
    void everyOptionNamesItsValueAndSaysItsDefault() {
        List<String> bad = new ArrayList<>();
        List<CommandLine> commands = all(Main.commandLine());
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

    /** The help wraps each element of a description by itself. */
    @Test
    void noElementOfADescriptionEndsWithinASentence() {
        List<String> bad = new ArrayList<>();
        for (CommandLine command : all(Main.commandLine())) {
            for (ArgSpec arg : command.getCommandSpec().args()) {
                String[] lines = arg.description();
                for (int i = 0; i < lines.length - 1; i++) {
                    if (!lines[i].endsWith(".")) {
                        bad.add(
                                command.getCommandSpec().qualifiedName()
                                        + " "
                                        + arg.paramLabel()
                                        + ": join '"
                                        + lines[i + 1]
                                        + "' to the element before it");
                    }
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
        assertEquals(9, topicOptions("run").size());
    }

    private static List<String> topicOptions(String command) {
        CommandLine line = Main.commandLine();
        for (String word : command.split(" ")) {
            line = line.getSubcommands().get(word);
        }
        return line.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> name.matches("--.*-topics?"))
                .toList();
    }

    @Test
    void theCommandAloneListsEachCommandOnceInAWholeSentence() {
        Sluice alone = Sluice.run();
        assertEquals(0, alone.status(), alone.err());
        assertEquals(Sluice.run("--help").out(), alone.out());
        assertEquals(alone.out(), Sluice.run("help").out());
        String text = alone.out().replaceAll("\\s+", " "); // lines end between words
        Main.commandLine()
                .getSubcommands()
                .forEach(
                        (name, command) -> {
                            long rows =
                                    alone.out()
                                            .lines()
                                            .filter(line -> line.matches("  " + name + "( .*)?"))
                                            .count();
                            assertEquals(1, rows, name);
                            String first = command.getCommandSpec().usageMessage().description()[0];
                            String sentence = first.split("(?<=\\.) ", 2)[0];
                            assertTrue(sentence.endsWith("."), sentence);
                            assertTrue(text.contains(" " + name + " " + sentence), text);
                        });
    }

    /** A list of commands shows the first line of each one's description. */
    @Test
    void theFirstLineOfEachDescriptionIsAWholeSentence() {
        List<String> bad = new ArrayList<>();
        for (CommandLine command : all(Main.commandLine())) {
            String[] description = command.getCommandSpec().usageMessage().description();
            if (description.length == 0 || !description[0].endsWith(".")) {
                bad.add(command.getCommandSpec().qualifiedName());
            }
        }
        assertEquals(List.of(), bad);
    }

    @Test
    void helpOfACommandIsWhatTheCommandItselfPrints() {
        assertEquals(Sluice.run("classify", "--help").out(), Sluice.run("help", "classify").out());
        assertEquals(
                Sluice.run("rules", "add", "--help").out(),
                Sluice.run("help", "rules", "add").out());
        Sluice unknown = Sluice.run("help", "rules", "nosuch");
        assertEquals(2, unknown.status());
        assertTrue(unknown.err().contains("sluice rules has no command 'nosuch'"), unknown.err());
        assertEquals("", unknown.out());
    }

    @Test
    void theVersionIsAWordToo() {
        assertEquals(Sluice.run("--version").out(), Sluice.run("version").out());
        assertTrue(Sluice.run("version").out().startsWith("sluice "));
    }

    @Test
    void whatOnlyACheckoutCanDoSaysWhere() {
        for (String word : List.of("test", "package")) {
            Sluice run = Sluice.run(word);
            assertEquals(1, run.status());
            assertTrue(run.err().contains("./sluice " + word + " in a checkout"), run.err());
        }
    }

    /** A command line that names one is built of that one alone. */
    @Test
    void eachCommandIsTheSameAmongAllAndAlone() {
        for (CommandLine among : all(Main.commandLine())) {
            List<Object> words =
                    new ArrayList<>(List.of(among.getCommandSpec().qualifiedName(" ").split(" ")));
            words.remove(0); // sluice itself
            words.add("--help");
            assertEquals(among.getUsageMessage(), Sluice.run(words.toArray()).out());
        }
        Sluice misspelt = Sluice.run("clasify");
        assertEquals(2, misspelt.status());
        assertTrue(misspelt.err().contains("Did you mean: sluice classify"), misspelt.err());
    }

    /** Bash itself is asked, with the script that the command prints. */
    @Test
    void bashCompletesCommandsAndOptions(@TempDir Path folder) throws Exception {
        Path script = folder.resolve("completion");
        Files.writeString(script, Sluice.run("completion").out());
        assertEquals("classify", completed(script, "sluice", "cla"));
        assertEquals("rollback", completed(script, "sluice", "rules", "roll"));
        assertEquals("--verdicts", completed(script, "sluice", "classify", "--verd"));
    }

    private static String completed(Path script, String... words) throws Exception {
        String ask =
                "source %s; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_sluice; echo \"${COMPREPLY[@]}\""
                        .formatted(script, String.join(" ", words), words.length - 1);
        Process bash =
                new ProcessBuilder("bash", "-c", ask)
                        // The script sets an option that only a shell at a prompt takes.
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        String said = new String(bash.getInputStream().readAllBytes(), UTF_8).strip();
        assertEquals(0, bash.waitFor(), said);
        return said;
    }
}
