package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.classify.ConnectionFile;
import dev.sluice.job.classify.ConnectionFile.Format;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.schemas.codec.Connection;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the rows of connections. */
final class ConnectionRowOptions implements AutoCloseable {
    private static final Map<String, Format> ENDINGS =
            Map.of(
                    ".tsv", Format.TSV,
                    ".json", Format.JSON,
                    ".jsonl", Format.JSON,
                    ".avro", Format.AVRO);

    @Option(
            names = "--connections",
            paramLabel = "OUT",
            description =
                    "Write a row for each connection, also refused ones, to this file; with --conntrack (docs/guide/stateful.md).")
    private @Nullable Path to;

    @Option(
            names = "--connections-format",
            paramLabel = "FORMAT",
            description =
                    "Form of that file: tsv, json (an object a line) or avro (default: by its ending .tsv, .json, .jsonl or .avro).")
    private @Nullable Format format;

    @Option(
            names = "--conntrack-notes",
            description =
                    "Add a last column to the lines: 'connection refused at packet N' beside packets of a connection whose first packet was denied; with --conntrack.")
    boolean notes;

    private @Nullable ConnectionFile file;

    /** True if somebody takes the rows. */
    private boolean taken;

    /** Tells whether connections have rows. */
    boolean areKept() {
        return to != null || notes;
    }

    /**
     * Refuses what cannot be written.
     *
     * @param reads files that the command reads
     * @param verdicts file of lines of verdicts; null: none
     * @param printed whether lines of verdicts are printed
     */
    void requireUse(List<Path> reads, @Nullable Path verdicts, boolean printed) {
        if (notes && !printed && verdicts == null) {
            throw new UsageException(
                    "--conntrack-notes: adds a column to lines of verdicts, and none are written; leave out --summary or --json, or add --verdicts OUT.tsv");
        }
        if (to == null) {
            if (format != null) {
                throw new UsageException("--connections-format: add --connections OUT");
            }
            return;
        }
        List<Path> others = new ArrayList<>(reads);
        if (verdicts != null) {
            others.add(verdicts);
        }
        OutputPath.require("--connections", to, others);
        format();
    }

    private Format format() {
        if (format != null) {
            return format;
        }
        String name = String.valueOf(to).toLowerCase(Locale.ROOT);
        return ENDINGS.entrySet().stream()
                .filter(ending -> name.endsWith(ending.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(
                        () ->
                                new UsageException(
                                        "--connections %s: its ending names no form; end it in .tsv, .json, .jsonl or .avro, or add --connections-format"
                                                .formatted(to)));
    }

    /**
     * Opens the file for the rows of a classifier, if they are asked for.
     *
     * @param captures their names
     * @param also takes each row, too; null: nobody
     */
    ConnectionRowOptions open(
            CaptureHits hits,
            List<Path> captures,
            boolean growing,
            @Nullable Consumer<Connection> also) {
        Consumer<Connection> all = also == null ? row -> {} : also;
        if (to != null) {
            file = new ConnectionFile(to, format(), growing);
            all = file.andThen(all);
        }
        taken = to != null || also != null;
        if (taken || notes) {
            hits.keepRows(captures.stream().map(Path::toString).toList(), all);
        }
        return this;
    }

    /**
     * Writes the rows of connections that are left, and ends the file.
     *
     * @param complete whether all packets were read
     */
    void end(CaptureHits hits, boolean complete) {
        if (taken) {
            hits.handRest();
        }
        if (file != null) {
            to = file.end(complete);
        }
    }

    /** Tells the name of the file. */
    void report(PrintWriter err) {
        if (file != null) {
            err.println("sluice: connections are in " + to);
        }
    }

    /** Removes the file if it was not ended. */
    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
