package dev.sluice.lab.gpu;

import dev.sluice.job.cli.CommandContribution;
import dev.sluice.lab.gpu.check.GpuCheckCommand;
import dev.sluice.lab.gpu.measure.GpuBenchCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice gpu}: what is done on a GPU without a stream of packets. */
@Command(
        name = "gpu",
        description = {"Shows, checks and measures the GPUs of this machine.", ""},
        subcommands = {GpuInfoCommand.class, GpuCheckCommand.class, GpuBenchCommand.class})
public final class GpuCommand implements Runnable, CommandContribution {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "name what to do: gpu info, gpu check or gpu bench");
    }
}
