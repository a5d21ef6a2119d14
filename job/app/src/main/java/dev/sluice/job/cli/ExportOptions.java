package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.PacketExporter;
import picocli.CommandLine.Mixin;

/** Options of the exporter. */
final class ExportOptions {
    @Mixin private BlockOptions blocks = new BlockOptions();

    @Mixin final InPortOption inPort = new InPortOption();

    @Mixin HeaderOptions headers = new HeaderOptions();

    int shards() {
        return blocks.shards();
    }

    /**
     * The options, checked.
     *
     * @throws UsageException naming option, value and range
     */
    PacketExporter.Options toOptions(PacketExporter.Format format) {
        if (format == PacketExporter.Format.FRAMES && inPort.number != null) {
            throw new UsageException(
                    "--in-port does not go with --format frames: a frame has no place for it; use blocks or records");
        }
        return new PacketExporter.Options(
                blocks.shards(),
                blocks.by(),
                blocks.blockSize(),
                format,
                headers.parsing(),
                inPort.number,
                null);
    }
}
