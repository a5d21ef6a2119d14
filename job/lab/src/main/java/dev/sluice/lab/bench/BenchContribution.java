package dev.sluice.lab.bench;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench} to the command line. */
public final class BenchContribution implements CommandContribution {
    @Override
    public String parent() {
        return TOP_LEVEL;
    }

    @Override
    public Object command() {
        return new BenchCommand();
    }
}
