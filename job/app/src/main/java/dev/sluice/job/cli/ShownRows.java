package dev.sluice.job.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the number of rows that are shown: one of them at most. */
final class ShownRows {
    private static final int USUAL = 20;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "Rows with most packets that are shown (default " + USUAL + ").")
    @Range(from = 1)
    private @Nullable Integer top;

    @Option(names = "--all", description = "Show every row.")
    private boolean all;

    /** Tells whether one is given. */
    boolean isGiven() {
        return all || top != null;
    }

    /** Most rows that are shown. */
    long most() {
        return all ? Long.MAX_VALUE : top == null ? USUAL : top;
    }
}
