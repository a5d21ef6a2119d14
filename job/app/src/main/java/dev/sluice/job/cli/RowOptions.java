package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a command prints rows. */
final class RowOptions {
    private enum Format {
        TABLE,
        TSV,
        JSON
    }

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "table (columns aligned, no wider than the terminal), tsv (tab-separated, with a line of names) or json (a JSON object a line) (default: table on a terminal, else tsv).")
    private @Nullable Format format;

    @Option(names = "--json", description = "The same as --format json.")
    private boolean json;

    /**
     * Opens the output of rows in the chosen format.
     *
     * @throws UsageException if no such format exists
     */
    <R> RowsOut<R> open(RowForm<R> form, LinesOut out) {
        return switch (format()) {
            case TABLE ->
                    form.aligned(out, Console.isTerminal() ? Console.columns() : Integer.MAX_VALUE);
            case TSV -> form.tabSeparated(out);
            case JSON -> form.json(out);
        };
    }

    private Format format() {
        if (format == null) {
            return json ? Format.JSON : Console.isTerminal() ? Format.TABLE : Format.TSV;
        }
        if (json && format != Format.JSON) {
            throw new UsageException(
                    "--json and --format " + Choice.label(format) + " differ; leave one out");
        }
        return format;
    }
}
