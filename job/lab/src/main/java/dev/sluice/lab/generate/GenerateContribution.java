package dev.sluice.lab.generate;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code rules generate} to the command line. */
public final class GenerateContribution implements CommandContribution {
    @Override
    public String parent() {
        return "rules";
    }

    @Override
    public Object command() {
        return new GenerateCommand();
    }
}
