package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.kafka.Framing;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.PassedColumns;
import dev.sluice.operators.classify.VerdictFields;
import org.apache.kafka.common.record.CompressionType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the verdicts topic's messages. */
final class VerdictOptions {
    @Option(
            names = "--verdict-format",
            paramLabel = "FORMAT",
            defaultValue = "blocks",
            description =
                    "blocks (a message a packet block, fast) or records (a message a packet) (default ${DEFAULT-VALUE}).")
    VerdictFormat format = VerdictFormat.BLOCKS;

    @Option(
            names = "--verdict-fields",
            paramLabel = "FIELDS",
            description =
                    "Fields that verdicts have beside rule and version, separated by commas: none, 5-tuple, all, action (of blocks; records have it always), and fields such as ip-src, frame-length or ttl, which docs/fields.md lists (default: 5-tuple in records, none in blocks).")
    private @Nullable VerdictFields fields;

    @Option(
            names = "--verdict-columns",
            paramLabel = "HOW",
            defaultValue = "copied",
            description =
                    "Form of packet numbers, times and --verdict-fields in blocks: copied from the packet block; deltas (numbers and times as differences where these take fewer bytes); or named (a block names the place of its packet block, where 'sluice verdicts' reads them as long as the packets topic keeps it) (default ${DEFAULT-VALUE}).")
    private PassedColumns columns = PassedColumns.COPIED;

    @Option(
            names = "--schema-id",
            paramLabel = "N",
            description =
                    "Id under which a schema registry holds the schema of the verdicts (VerdictBlock, or Verdict for records; see sluice schemas). Each message begins with a 0 and this id, as deserializers of registries expect. No registry is asked (default: Avro's single-object encoding).")
    @Range
    private @Nullable Integer schemaId;

    @Option(
            names = "--verdict-compression",
            paramLabel = "KIND",
            defaultValue = "none",
            description =
                    "Compression of the verdict messages: none, gzip, snappy, lz4 or zstd (default ${DEFAULT-VALUE}).")
    CompressionType compression = CompressionType.NONE;

    /**
     * Returns the fields that travel with verdicts.
     *
     * @throws UsageException if an option is unknown, or single verdicts would lack columns
     */
    VerdictFields fields() {
        if (format == VerdictFormat.RECORDS && columns != PassedColumns.COPIED) {
            throw new UsageException(
                    "--verdict-columns %s goes with --verdict-format blocks alone: a record is complete"
                            .formatted(Choice.label(columns)));
        }
        return (fields == null ? format.defaults() : fields).with(columns);
    }

    Framing framing() {
        return schemaId == null ? Framing.SINGLE_OBJECT : new Framing(schemaId);
    }
}
