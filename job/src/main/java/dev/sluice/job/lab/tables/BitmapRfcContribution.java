package dev.sluice.job.lab.tables;

import dev.sluice.job.cli.CommandContribution;

/** Adds {@code bench bitmap-rfc} to the command line. */
public final class BitmapRfcContribution implements CommandContribution {
    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Object command() {
        return new BitmapRfcCommand();
    }
}
