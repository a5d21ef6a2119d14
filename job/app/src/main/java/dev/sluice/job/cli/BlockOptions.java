package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.PacketExporter;
import picocli.CommandLine.Option;

/** Options of what becomes of headers: blocks of flow shards. */
public final class BlockOptions {
    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "64",
            description = "Flow shards: how far a job can be spread (default ${DEFAULT-VALUE}).")
    private int shards;

    @Option(
            names = "--block-size",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Most headers of a block (default ${DEFAULT-VALUE}).")
    private int blockSize;

    /** Flow shards. */
    public int shards() {
        return shards;
    }

    /** Most headers of a block. */
    public int blockSize() {
        return blockSize;
    }

    /**
     * Checks the options.
     *
     * @throws UsageException naming option, value and range
     */
    public void check() {
        UsageException.requireRange("--shards", shards, 1, PacketExporter.Options.MAX_SHARDS);
        UsageException.requireRange("--block-size", blockSize, 1, PacketExporter.Options.MAX_BLOCK);
    }
}
