package dev.sluice.job.cli;

import dev.sluice.job.EscapedStream;
import dev.sluice.job.UsageException;
import dev.sluice.job.submit.Failures;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code sluice} command: the commands named here, and those of {@link CommandContribution}s.
 */
@Command(
        name = "sluice",
        description = {
            "Tells for every packet header which rule of a policy is the highest-priority match.",
            ""
        },
        version = "sluice 0.1.0",
        scope = ScopeType.INHERIT,
        sortOptions = false)
public final class Main implements Runnable {
    private static final List<Class<?>> COMMANDS =
            List.of(
                    DemoCommand.class,
                    ClassifyCommand.class,
                    ReplayCommand.class,
                    FilterCommand.class,
                    HeadersCommand.class,
                    ExportCommand.class,
                    RunCommand.class,
                    SavepointCommand.class,
                    StopCommand.class,
                    ResumeCommand.class,
                    BrokerCommand.class,
                    ClusterCommand.class,
                    RulesCommand.class,
                    VerdictsCommand.class,
                    CatCommand.class,
                    SchemasCommand.class,
                    HelpCommand.class,
                    VersionCommand.class,
                    CompletionCommand.class,
                    TestCommand.class,
                    PackageCommand.class);

    /** Commands that tell of others. */
    private static final Set<String> OF_OTHERS = Set.of("help", "completion");

    private static final int NARROWEST = 60;
    private static final int WIDEST = 120;

    @Spec private CommandSpec spec;

    @Option(
            names = "--debug",
            description = "Print stack traces of failures.",
            scope = ScopeType.INHERIT)
    private boolean debug;

    /** Log level, which the launcher has applied; here it is checked, and shown by --help. */
    @Option(
            names = "--log-level",
            paramLabel = "LEVEL",
            description =
                    "Log on stderr from OFF, ERROR, WARN, INFO or DEBUG on (default: WARN; of Flink and Kafka only under run, and what Sluice tells there, too).",
            scope = ScopeType.INHERIT)
    @SuppressWarnings("UnusedVariable") // the launcher reads it
    private @Nullable LogLevel logLevel;

    private enum LogLevel {
        OFF,
        ERROR,
        WARN,
        INFO,
        DEBUG
    }

    /** Runs a command and ends the process with its status. */
    public static void main(String[] args) {
        System.setErr(new EscapedStream(System.err)); // logs and libraries write there, too
        int status = run(args, StandardOutput.ofProcess(), Console.writer(System.err));
        System.out.flush();
        System.err.flush();
        // Flink and Kafka leave threads behind.
        Runtime.getRuntime().halt(status);
    }

    /** As {@link #run(String[], PrintWriter, PrintWriter)}; output that is lost is a failure. */
    public static int run(String[] args, StandardOutput out, PrintWriter err) {
        int status = run(args, Console.writer(out), err, out::shut);
        IOException lost = out.failure();
        if (lost == null) {
            return status;
        }
        err.println("sluice: standard output cannot be written: " + lost.getMessage());
        err.flush();
        return status == 0 ? 1 : status;
    }

    /** Runs a command; returns its exit status: 0, 1 for a failure, 2 for wrong usage. */
    public static int run(String[] args, PrintWriter out, PrintWriter err) {
        return run(args, out, err, () -> 0);
    }

    private static int run(
            String[] args, PrintWriter out, PrintWriter err, LongSupplier linesPrinted) {
        Main main = new Main();
        CommandLine commands = commandLine(main, args);
        commands.setOut(out);
        commands.setErr(err);
        UsageErrors.handle(commands, "sluice");
        commands.setExecutionExceptionHandler(
                (e, command, result) ->
                        e instanceof UsageException && !main.debug
                                ? UsageErrors.report("sluice", command, e)
                                : main.report(e, err));
        // Until it is known which command it is.
        LastLine starting = new LastLine(commands.getCommandSpec(), linesPrinted, err);
        CommandLine.IExecutionStrategy checked = commands.getExecutionStrategy();
        commands.setExecutionStrategy(
                parsed -> {
                    ParseResult leaf = parsed;
                    while (leaf.hasSubcommand()) {
                        leaf = leaf.subcommand();
                    }
                    starting.close();
                    LastLine last = new LastLine(leaf.commandSpec(), linesPrinted, err);
                    try {
                        prepare(leaf);
                        return checked.execute(parsed);
                    } finally {
                        last.close();
                    }
                });
        int status = commands.execute(args);
        starting.close();
        out.flush();
        err.flush();
        return status;
    }

    private static void prepare(ParseResult leaf) {
        if (leaf.isUsageHelpRequested() || leaf.isVersionHelpRequested()) {
            return;
        }
        try {
            CaptureNames.prepare(leaf.commandSpec());
        } catch (SluiceException e) {
            throw new CommandLine.ExecutionException(
                    leaf.commandSpec().commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /** The parser of all commands. */
    public static CommandLine commandLine(Main main) {
        return commandLine(main, (String) null);
    }

    /**
     * The command that words begin with, or all of them: what a command may be told is found by
     * reflection, which for all takes longer than most of what they do.
     */
    private static CommandLine commandLine(Main main, String[] words) {
        if (words.length > 0 && !OF_OTHERS.contains(words[0])) {
            CommandLine only = commandLine(main, words[0]);
            if (!only.getSubcommands().isEmpty()) {
                return only;
            }
        }
        return commandLine(main);
    }

    private static CommandLine commandLine(Main main, @Nullable String only) {
        CommandLine commands = new CommandLine(main);
        for (Class<?> command : COMMANDS) {
            if (only == null || only.equals(name(command))) {
                commands.addSubcommand(command);
            }
        }
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
        return there.getSubcommands().isEmpty() && command.equals(name(contribution.getClass()));
    }

    private static String name(Class<?> command) {
        return Objects.requireNonNull(command.getAnnotation(Command.class)).name();
    }

    private static CommandLine parent(CommandLine commands, CommandContribution contribution) {
        if (contribution.parent().equals(CommandContribution.TOP_LEVEL)) {
            return commands;
        }
        CommandLine parent = commands.getSubcommands().get(contribution.parent());
        if (parent == null) {
            throw new IllegalStateException(
                    contribution.getClass().getName()
                            + " joins the command '"
                            + contribution.parent()
                            + "', which is not there; list it behind its parent's contribution");
        }
        return parent;
    }

    /** Without a command: says which there are. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private int report(Exception e, PrintWriter err) {
        if (debug) {
            e.printStackTrace(err);
            return e instanceof UsageException ? UsageErrors.STATUS : 1;
        }
        List<String> lines = Failures.lines(e);
        err.println("sluice: " + lines.get(0));
        lines.stream().skip(1).forEach(err::println);
        if (!Failures.isPlain(e)) {
            err.println("sluice: run again with --debug for a stack trace");
        }
        return 1;
    }
}
