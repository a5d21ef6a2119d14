package dev.sluice.lab.load;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code load} to the command line. */
public final class LoadContribution implements CommandContribution {
    @Override
    public String parent() {
        return TOP_LEVEL;
    }

    @Override
    public Object command() {
        return new LoadCommand();
    }
}
