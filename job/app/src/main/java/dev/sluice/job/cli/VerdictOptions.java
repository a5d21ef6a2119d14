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
    private String format = "blocks";

    @Option(
            names = "--verdict-fields",
            paramLabel = "FIELDS",
            description = {
                "What travels with verdicts beside rule and version, separated by commas: none, 5-tuple, all,",
                "action (of blocks; records have it always), and fields such as ip-src, frame-length or ttl, which",
                "docs/fields.md lists (default: 5-tuple in records, none in blocks)."
            })
    private @Nullable String fields;

    @Option(
            names = "--verdict-columns",
            paramLabel = "HOW",
            defaultValue = "copied",
            description = {
                "How blocks have packet numbers, times and the fields of --verdict-fields: copied from their packet",
                "blocks; deltas (packet numbers and times as differences, where these take fewer bytes); or named",
                "(left out: a block names topic, partition and offset of its packet block, where 'sluice verdicts'",
                "looks them up for as long as the packets topic keeps it) (default ${DEFAULT-VALUE})."
            })
    private String columns = "copied";

    @Option(
            names = "--schema-id",
            paramLabel = "N",
            description = {
                "Id under which a schema registry holds the schema of the verdicts (VerdictBlock, or Verdict for",
                "records; see sluice schemas): each begins with a 0 and this id, as deserializers of registries",
                "expect. No registry is asked (default: Avro's single-object encoding)."
            })
    private @Nullable Integer schemaId;

    @Option(
            names = "--verdict-compression",
            paramLabel = "KIND",
            defaultValue = "none",
            description =
                    "Compression of the verdict messages: none, lz4, zstd or snappy (default ${DEFAULT-VALUE}).")
    private String compression = "none";

    CompressionType compression() {
        return Compression.parse("--verdict-compression", compression);
    }

    VerdictFormat format() {
        return Choice.parse("--verdict-format", format, VerdictFormat.class);
    }

    /**
     * Returns the fields that travel with verdicts.
     *
     * @throws UsageException if an option is unknown, or single verdicts would lack columns
     */
    VerdictFields fields() {
        PassedColumns passed = columns();
        if (format() == VerdictFormat.RECORDS && passed != PassedColumns.COPIED) {
            throw new UsageException(
                    "--verdict-columns %s goes with --verdict-format blocks alone: a record is complete"
                            .formatted(columns));
        }
        VerdictFields chosen =
                fields == null ? format().defaults() : parse("--verdict-fields", fields);
        return chosen.with(passed);
    }

    private PassedColumns columns() {
        return Choice.parse("--verdict-columns", columns, PassedColumns.class);
    }

    Framing framing() {
        if (schemaId != null) {
            UsageException.requireAtLeast("--schema-id", schemaId, 0);
        }
        return schemaId == null ? Framing.SINGLE_OBJECT : new Framing(schemaId);
    }

    /**
     * Reads names of fields.
     *
     * @throws UsageException naming the option, if one is unknown
     */
    static VerdictFields parse(String option, String names) {
        try {
            return VerdictFields.parse(names);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage(), e);
        }
    }
}
