package dev.sluice.lab.backend;

import dev.sluice.job.cli.Range;
import picocli.CommandLine.Option;

/** Options of benches that measure batches in rounds. */
public final class RoundOptions {
    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers a batch (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 1 << 24)
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    @Range(from = 5, to = 1000)
    private int rounds;

    /** Headers a batch. */
    public int batch() {
        return batch;
    }

    /** Measured rounds. */
    public int rounds() {
        return rounds;
    }
}
