package dev.sluice.job.cli;

import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.schemas.header.FlowShard;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of what becomes of headers: blocks of flow shards. */
public final class BlockOptions {
    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Flow shards: most subtasks that can share the packets (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = PacketExporter.Options.MAX_SHARDS)
    private int shards;

    @Mixin private ShardByOption by = new ShardByOption();

    @Option(
            names = "--block-size",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Most headers of a block (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = PacketExporter.Options.MAX_BLOCK)
    private int blockSize;

    /** Flow shards. */
    public int shards() {
        return shards;
    }

    /** Which packets share a shard. */
    public FlowShard by() {
        return by.by;
    }

    /** Most headers of a block. */
    public int blockSize() {
        return blockSize;
    }
}
