package dev.sluice.lab.soak;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code soak} to the command line. */
public final class SoakContribution implements CommandContribution {
    @Override
    public String parent() {
        return TOP_LEVEL;
    }

    @Override
    public Object command() {
        return new SoakCommand();
    }
}
