package dev.sluice.job.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;

/**
 * The list of commands in the help of {@code sluice} itself: by what one wants to do, each with the
 * first sentence of its description. A command that no task names stands in the last part.
 */
final class CommandsByTask implements IHelpSectionRenderer {
    private static final int INDENT = 2;

    private static final List<Task> TASKS =
            List.of(
                    new Task("See it work:", "demo"),
                    new Task(
                            "Judge captured traffic:",
                            "classify",
                            "replay",
                            "archive",
                            "filter",
                            "headers"),
                    new Task("Work with rules:", "rules"),
                    new Task(
                            "Run the job, and feed it:",
                            "run",
                            "savepoint",
                            "stop",
                            "cluster",
                            "broker",
                            "export",
                            "load"),
                    new Task("Read the output:", "verdicts", "cat", "schemas"),
                    new Task("Measure and test:", "advise", "bench", "gpu", "soak"),
                    new Task(
                            "The command itself:",
                            "help",
                            "version",
                            "completion",
                            "test",
                            "package"));

    /** A heading and the commands below it. */
    private record Task(String heading, List<String> commands) {
        Task(String heading, String... commands) {
            this(heading, List.of(commands));
        }
    }

    @Override
    public String render(Help help) {
        Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
        int name = left.keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (Task task : TASKS) {
            Map<String, Help> found = new LinkedHashMap<>();
            for (String command : task.commands()) {
                Help known = left.remove(command);
                if (known != null) {
                    found.put(command, known);
                }
            }
            append(text, help, task.heading(), found, name);
        }
        append(text, help, "Other commands:", left, name);
        return text.toString();
    }

    private static void append(
            StringBuilder text, Help help, String heading, Map<String, Help> commands, int name) {
        if (commands.isEmpty()) {
            return;
        }
        int width = help.commandSpec().usageMessage().width();
        TextTable table =
                TextTable.forColumns(
                        help.colorScheme(),
                        new Column(INDENT + name, INDENT, Overflow.SPAN),
                        new Column(width - INDENT - name, INDENT, Overflow.WRAP));
        commands.forEach((command, its) -> table.addRowValues(command, firstSentence(its)));
        text.append(System.lineSeparator()).append(heading).append(System.lineSeparator());
        text.append(table);
    }

    private static String firstSentence(Help help) {
        String words =
                Stream.of(help.commandSpec().usageMessage().description())
                        .findFirst()
                        .orElse("")
                        .formatted();
        int end = words.indexOf(". ");
        return end < 0 ? words : words.substring(0, end + 1);
    }
}
