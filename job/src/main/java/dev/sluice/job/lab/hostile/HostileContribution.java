package dev.sluice.job.lab.hostile;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench hostile} to the command line. */
public final class HostileContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new HostileCommand();
    }
}
