package dev.sluice.job.lab.bench;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench engine} to the command line. */
public final class EngineContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new EngineCommand();
    }
}
