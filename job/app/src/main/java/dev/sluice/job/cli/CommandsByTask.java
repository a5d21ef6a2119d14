package dev.sluice.job.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;

/**
 * The list of commands in the help of {@code sluice} itself: by what one wants to do, each with the
 * first sentence of its description.
 */
final class CommandsByTask implements IHelpSectionRenderer {
    private static final int INDENT = 2;

    private static final Task RUN =
            new Task(
                    "Run the job, and feed it:",
                    RunCommand.class,
                    SavepointCommand.class,
                    StopCommand.class,
                    ClusterCommand.class,
                    BrokerCommand.class,
                    ExportCommand.class);
    private static final Task MEASURE = new Task("Measure and test:");

    static final List<Task> TASKS =
            List.of(
                    new Task("See it work:", DemoCommand.class),
                    new Task(
                            "Judge captured traffic:",
                            ClassifyCommand.class,
                            ReplayCommand.class,
                            ArchiveCommand.class,
                            FilterCommand.class,
                            ReportCommand.class,
                            ServeCommand.class,
                            WhatIfCommand.class,
                            HeadersCommand.class),
                    new Task(
                            "Work with rules:",
                            RulesCommand.class,
                            ExplainCommand.class,
                            VerifyCommand.class),
                    RUN,
                    new Task(
                            "Read the output:",
                            VerdictsCommand.class,
                            CatCommand.class,
                            SchemasCommand.class),
                    MEASURE,
                    new Task(
                            "The command itself:",
                            HelpCommand.class,
                            VersionCommand.class,
                            CompletionCommand.class,
                            TestCommand.class,
                            PackageCommand.class));

    /** A task of a user, with the commands for it that the command line has itself. */
    record Task(String heading, List<Class<?>> commands) {
        Task(String heading, Class<?>... commands) {
            this(heading, List.of(commands));
        }

        private boolean holds(String name, Help command) {
            return command.commandSpec().userObject() instanceof CommandContribution contribution
                    ? equals(contribution.feedsJob() ? RUN : MEASURE)
                    : commands.stream().anyMatch(own -> name(own).equals(name));
        }
    }

    @Override
    public String render(Help help) {
        int name = help.subcommands().keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (Task task : TASKS) {
            Map<String, Help> commands = new LinkedHashMap<>(help.subcommands());
            commands.entrySet().removeIf(each -> !task.holds(each.getKey(), each.getValue()));
            append(text, help, task.heading(), commands, name);
        }
        return text.toString();
    }

    /** Name of a class of a command. */
    static String name(Class<?> command) {
        return Objects.requireNonNull(command.getAnnotation(Command.class)).name();
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
