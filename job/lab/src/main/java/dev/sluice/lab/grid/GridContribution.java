package dev.sluice.lab.grid;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench grid} to the command line. */
public final class GridContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new GridCommand();
    }
}
