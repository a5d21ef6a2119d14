package dev.sluice.job.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing by itself, but has commands below it. */
public abstract class CommandGroup implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public final void run() {
        throw new ParameterException(
                spec.commandLine(),
                "name what to do: %s %s"
                        .formatted(
                                spec.qualifiedName(" "),
                                String.join(", ", spec.subcommands().keySet())));
    }
}
