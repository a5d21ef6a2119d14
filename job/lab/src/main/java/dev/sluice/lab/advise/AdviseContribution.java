package dev.sluice.lab.advise;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code advise} to the command line. */
public final class AdviseContribution implements CommandContribution {
    @Override
    public String parent() {
        return TOP_LEVEL;
    }

    @Override
    public Object command() {
        return new AdviseCommand();
    }
}
