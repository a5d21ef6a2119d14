package dev.sluice.job.lab.kit;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench pages} to the command line. */
public final class PagesContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new PagesCommand();
    }
}
