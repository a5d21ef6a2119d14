package dev.sluice.lab.gpu;

import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.CommandGroup;
import dev.sluice.lab.gpu.check.GpuCheckCommand;
import dev.sluice.lab.gpu.measure.GpuBenchCommand;
import picocli.CommandLine.Command;

/** {@code sluice gpu}: what is done on a GPU without a stream of packets. */
@Command(
        name = "gpu",
        description = {"Shows, checks and measures the GPUs of this machine.", ""},
        subcommands = {GpuInfoCommand.class, GpuCheckCommand.class, GpuBenchCommand.class})
public final class GpuCommand extends CommandGroup implements CommandContribution {}
