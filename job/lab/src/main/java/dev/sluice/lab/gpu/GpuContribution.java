package dev.sluice.lab.gpu;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code gpu} to the command line. */
public final class GpuContribution implements CommandContribution {
    @Override
    public String parent() {
        return TOP_LEVEL;
    }

    @Override
    public Object command() {
        return new GpuCommand();
    }
}
