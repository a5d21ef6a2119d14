package dev.sluice.job.cli;

import dev.sluice.job.EscapedStream;
import dev.sluice.job.UsageException;
import dev.sluice.job.submit.Failures;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code sluice} command: runs one of the {@link CommandTree}, and reports its failure. */
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
                    "Lowest level of the log on stderr: OFF, ERROR, WARN, INFO or DEBUG (default: WARN of Sluice; under run its INFO, and WARN of Flink and Kafka).",
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
        CommandLine commands = CommandTree.of(main, args);
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
                        CaptureNames.prepare(leaf);
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

    /** The parser of all commands. */
    public static CommandLine commandLine() {
        return CommandTree.of(new Main(), new String[0]);
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
