package dev.sluice.job.cli;

import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands: those of {@link CommandsByTask}, and those of {@link CommandContribution}s. */
final class CommandTree {
    /** Commands that tell of others. */
    private static final Set<String> OF_OTHERS = Set.of("help", "completion");

    private static final int NARROWEST = 60;
    private static final int WIDEST = 120;

    private CommandTree() {}

    /**
     * The parser of the command that words begin with, or of all: what a command may be told is
     * found by reflection, which for all takes longer than most of what they do.
     *
     * @param top the command above all
     */
    static CommandLine of(Runnable top, String[] words) {
        if (words.length > 0 && !OF_OTHERS.contains(words[0])) {
            CommandLine only = of(top, words[0]);
            if (!only.getSubcommands().isEmpty()) {
                return only;
            }
        }
        return of(top, (String) null);
    }

    private static CommandLine of(Runnable top, @Nullable String only) {
        CommandLine commands = new CommandLine(top);
        CommandsByTask.TASKS.stream()
                .flatMap(task -> task.commands().stream())
                .filter(command -> only == null || only.equals(CommandsByTask.name(command)))
                .forEach(commands::addSubcommand);
        commands.setCaseInsensitiveEnumValuesAllowed(true);
        commands.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        for (CommandContribution contribution : ServiceLoader.load(CommandContribution.class)) {
            if (only == null || isOf(contribution, only, commands)) {
                parent(commands, contribution).addSubcommand(contribution);
            }
        }
        OptionTypes.register(commands); // of all that were added
        // A file or a name that an option takes may be called as a command is.
        commands.setAllowSubcommandsAsOptionParameters(true);
        // Last, so that every command lists --help behind --debug.
        commands.getCommandSpec().mixinStandardHelpOptions(true);
        // Of this command alone; the others inherit neither.
        UsageMessageSpec usage = commands.getCommandSpec().usageMessage();
        usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandsByTask());
        usage.footer("", "'sluice help COMMAND' tells all of a command.");
        if (Console.isTerminal()) {
            commands.setUsageHelpWidth(Math.max(NARROWEST, Math.min(WIDEST, Console.columns())));
        }
        return commands;
    }

    /** Tells whether a contribution is a command, if there is none yet, or a sub-command of it. */
    private static boolean isOf(
            CommandContribution contribution, String command, CommandLine there) {
        if (!contribution.parent().equals(CommandContribution.TOP_LEVEL)) {
            return command.equals(contribution.parent());
        }
        return there.getSubcommands().isEmpty()
                && command.equals(CommandsByTask.name(contribution.getClass()));
    }

    private static CommandLine parent(CommandLine commands, CommandContribution contribution) {
        String name = contribution.parent();
        CommandLine parent =
                name.equals(CommandContribution.TOP_LEVEL)
                        ? commands
                        : commands.getSubcommands().get(name);
        if (parent == null) {
            throw new IllegalStateException(
                    "%s joins the command '%s', which is not there; list it behind its parent's contribution"
                            .formatted(contribution.getClass().getName(), name));
        }
        return parent;
    }
}
