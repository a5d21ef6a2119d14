package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** How a command prints rows. */
final class RowOptions {
    private enum Format {
        TABLE,
        TSV,
        JSON,
        SARIF
    }

    @ArgGroup private Form form = new Form();

    /** One of these at most. */
    private static final class Form {
        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                description =
                        "table (columns aligned, no wider than the terminal), tsv (tab-separated, with a line of names) json (a JSON object a line) or, of rules lint, sarif (a log of findings) (default: table on a terminal, else tsv).")
        private @Nullable Format format;

        @Option(names = "--json", description = "The same as --format json.")
        private boolean json;
    }

    /** Opens the output of rows in the chosen format. */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out) {
        return open(
                rows,
                out,
                refused -> {
                    throw new UsageException(
                            "--format sarif: is of findings, which rules lint prints; use table, tsv or json");
                });
    }

    /**
     * Opens the output of rows in the chosen format.
     *
     * @param sarif opens a log of findings
     */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out, Function<LinesOut, RowsOut<R>> sarif) {
        return switch (format()) {
            case TABLE ->
                    rows.aligned(out, Console.isTerminal() ? Console.columns() : Integer.MAX_VALUE);
            case TSV -> rows.tabSeparated(out);
            case JSON -> rows.json(out);
            case SARIF -> sarif.apply(out);
        };
    }

    private Format format() {
        if (form.format != null) {
            return form.format;
        }
        return form.json ? Format.JSON : Console.isTerminal() ? Format.TABLE : Format.TSV;
    }
}
