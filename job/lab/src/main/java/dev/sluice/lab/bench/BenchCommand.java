package dev.sluice.lab.bench;

import dev.sluice.job.cli.CommandContribution;
import dev.sluice.lab.corridor.CorridorCommand;
import dev.sluice.lab.kit.PagesCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench}: the commands that measure. */
@Command(
        name = "bench",
        description = {
            "Measures the engine and the whole job, and makes the pages of figures.",
            ""
        },
        subcommands = {EngineCommand.class, CorridorCommand.class, PagesCommand.class})
public final class BenchCommand implements Runnable, CommandContribution {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "name what to measure: bench "
                        + String.join(", bench ", spec.subcommands().keySet()));
    }
}
