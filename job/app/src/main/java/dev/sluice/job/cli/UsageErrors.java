package dev.sluice.job.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The one form of wrong usage, of whatever kind: a line that says what is wrong, a line that says
 * where help is, and exit status 2. A command that was called without saying what to do prints its
 * commands.
 */
public final class UsageErrors {
    /** Exit status of wrong usage. */
    public static final int STATUS = 2;

    private UsageErrors() {}

    /**
     * Lets a command report its parser's errors in this form.
     *
     * @param program what the line begins with
     */
    public static void handle(CommandLine commands, String program) {
        commands.setParameterExceptionHandler(
                (e, arguments) -> {
                    files(program, e.getCommandLine(), arguments);
                    ruleFile(program, e.getCommandLine(), arguments);
                    return report(program, e.getCommandLine(), e);
                });
        // The parser takes what it does not know where help is asked for, too.
        commands.setExecutionStrategy(
                parsed -> {
                    requireTaken(parsed);
                    return new CommandLine.RunLast().execute(parsed);
                });
    }

    /** Refuses words that no command takes, and values beyond their range. */
    private static void requireTaken(ParseResult parsed) {
        for (ParseResult at = parsed; at != null; at = at.subcommand()) {
            if (!at.unmatched().isEmpty()) {
                throw new UnmatchedArgumentException(
                        at.commandSpec().commandLine(), at.unmatched());
            }
            Ranges.require(at);
        }
    }

    /**
     * Reports wrong usage.
     *
     * @param program what the line begins with
     * @param command the command that was used wrongly
     * @return the exit status
     */
    public static int report(String program, CommandLine command, Exception e) {
        PrintWriter err = command.getErr();
        err.println(program + ": " + message(command, e));
        boolean unmatched =
                e instanceof ParameterException parameter
                        && UnmatchedArgumentException.printSuggestions(parameter, err);
        boolean group = command.getParent() == null || command.getCommand() instanceof Runnable;
        if (!unmatched && group) {
            command.usage(err);
            return STATUS;
        }
        String name = command.getCommandSpec().qualifiedName(" ");
        err.println("%s: see %s --help".formatted(program, name));
        return STATUS;
    }

    /** Says how files are named whose names look like options. */
    private static void files(String program, CommandLine command, String[] arguments) {
        for (String word : arguments) {
            if (word.startsWith("-")
                    && command.getCommandSpec().findOption(word) == null
                    && isFile(word)) {
                command.getErr()
                        .println("%s: for the file %s write ./%<s".formatted(program, word));
            }
        }
    }

    /** Tells where a rule file is no option. */
    private static void ruleFile(String program, CommandLine command, String[] arguments) {
        CommandSpec spec = command.getCommandSpec();
        if (spec.findOption("--rules") != null
                || Stream.of(arguments).noneMatch(word -> word.matches("--rules(=.*)?"))) {
            return;
        }
        if (spec.findOption("--rules-topic") != null && spec.positionalParameters().isEmpty()) {
            command.getErr()
                    .println(
                            program
                                    + ": the rules come from a topic: publish their file before, by sluice rules publish --rules FILE");
        } else if (spec.positionalParameters().stream()
                .anyMatch(file -> file.paramLabel().startsWith("FILE"))) {
            command.getErr()
                    .println(
                            "%s: the rule file stands alone here, without --rules: %s FILE"
                                    .formatted(program, spec.qualifiedName(" ")));
        }
    }

    private static boolean isFile(String word) {
        try {
            return Files.isRegularFile(Path.of(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** One line that says what is wrong. */
    static String message(CommandLine command, Exception e) {
        if (e instanceof UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.getUnmatched().get(0).startsWith("-")) {
            return noCommand(command, unmatched.getUnmatched().get(0));
        }
        return plain(String.valueOf(e.getMessage()));
    }

    /** Says that a command has none below it that is called so. */
    static String noCommand(CommandLine command, String word) {
        return "%s has no command '%s'"
                .formatted(command.getCommandSpec().qualifiedName(" "), word);
    }

    /** The parser's words without those of its language. */
    private static String plain(String message) {
        return message.replaceFirst("^Error: ", "")
                .replaceFirst(
                        "^expected only one match but got .*=\\{([^}]*)} and .*=\\{([^}]*)}$",
                        "$1 and $2 exclude each other; leave one out")
                .replace(
                        " are mutually exclusive (specify only one)",
                        " exclude each other; leave one out")
                .replaceFirst("^Invalid value for option '([^']+)'( \\([^)]*\\))?: ", "$1 ")
                .replaceFirst("^(--\\S+) : ", "$1: ");
    }
}
