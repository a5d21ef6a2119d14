package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.PacketExporter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the exporter. */
final class ExportOptions {
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

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets; captures do not tell it.")
    private @Nullable Integer inPort;

    int shards() {
        return shards;
    }

    /**
     * The options, checked.
     *
     * @throws UsageException naming option, value and range
     */
    PacketExporter.Options toOptions(PacketExporter.Format format) {
        UsageException.requireRange("--shards", shards, 1, PacketExporter.Options.MAX_SHARDS);
        UsageException.requireRange("--block-size", blockSize, 1, PacketExporter.Options.MAX_BLOCK);
        if (format == PacketExporter.Format.FRAMES && inPort != null) {
            throw new UsageException(
                    "--in-port does not go with --format frames: a frame has no place for it; use blocks or records");
        }
        return new PacketExporter.Options(shards, blockSize, format, inPort);
    }
}
