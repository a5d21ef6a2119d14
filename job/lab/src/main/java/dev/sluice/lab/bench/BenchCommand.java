package dev.sluice.lab.bench;

import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.CommandGroup;
import dev.sluice.lab.corridor.CorridorCommand;
import dev.sluice.lab.kit.PagesCommand;
import picocli.CommandLine.Command;

/** {@code sluice bench}: the commands that measure. */
@Command(
        name = "bench",
        description = {
            "Measures the engine and the whole job, and makes the pages of figures.",
            ""
        },
        subcommands = {EngineCommand.class, CorridorCommand.class, PagesCommand.class})
public final class BenchCommand extends CommandGroup implements CommandContribution {}
