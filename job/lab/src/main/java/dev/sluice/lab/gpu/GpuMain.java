package dev.sluice.lab.gpu;

import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Console;
import dev.sluice.job.cli.OptionTypes;
import dev.sluice.job.cli.UsageErrors;
import dev.sluice.job.submit.Failures;
import dev.sluice.lab.advise.AdviseCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The commands that ask devices, for machines that have nothing but a driver. */
@Command(
        name = "run",
        description = {
            "Shows, checks and measures GPUs, and says whether one pays; needs nothing but their driver.",
            ""
        },
        mixinStandardHelpOptions = true,
        version = "sluice 0.1.0",
        scope = ScopeType.INHERIT,
        subcommands = {GpuCommand.class, AdviseCommand.class})
public final class GpuMain implements Runnable {
    @Spec private CommandSpec spec;

    GpuMain() {}

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name what to do, as in: run gpu check");
    }

    /** Runs a command and ends the process with its status. */
    public static void main(String[] args) {
        CommandLine commands = new CommandLine(new GpuMain());
        OptionTypes.register(commands);
        commands.setOut(Console.writer(System.out));
        commands.setErr(Console.writer(System.err));
        UsageErrors.handle(commands, "gpu");
        commands.setExecutionExceptionHandler(
                (e, command, result) -> {
                    if (e instanceof UsageException) {
                        return UsageErrors.report("gpu", command, e);
                    }
                    if (Failures.isPlain(e)) {
                        commands.getErr().println("gpu: " + e.getMessage());
                    } else {
                        e.printStackTrace(commands.getErr());
                    }
                    return 1;
                });
        int status = commands.execute(args);
        commands.getOut().flush();
        commands.getErr().flush();
        Runtime.getRuntime().halt(status);
    }
}
