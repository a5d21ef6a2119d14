package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.PacketExporter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the exporter. */
final class ExportOptions {
    @Mixin private BlockOptions blocks = new BlockOptions();

    @Option(
            names = "--in-port",
            paramLabel = "N",
            description = "Ingress port of all packets; captures do not tell it.")
    private @Nullable Integer inPort;

    @Mixin private HeaderOptions headers = new HeaderOptions();

    HeaderOptions headers() {
        return headers;
    }

    int shards() {
        return blocks.shards();
    }

    /**
     * The options, checked.
     *
     * @throws UsageException naming option, value and range
     */
    PacketExporter.Options toOptions(PacketExporter.Format format) {
        blocks.check();
        UsageException.requirePort("--in-port", inPort);
        if (format == PacketExporter.Format.FRAMES && inPort != null) {
            throw new UsageException(
                    "--in-port does not go with --format frames: a frame has no place for it; use blocks or records");
        }
        return new PacketExporter.Options(
                blocks.shards(), blocks.blockSize(), format, headers.parsing(), inPort);
    }
}
