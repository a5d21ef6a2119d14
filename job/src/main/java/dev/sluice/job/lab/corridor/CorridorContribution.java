package dev.sluice.job.lab.corridor;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench corridor} to the command line. */
public final class CorridorContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new CorridorCommand();
    }
}
