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
        SARIF,
        MARKDOWN
    }

    @ArgGroup private Form form = new Form();

    /** One of these at most. */
    private static final class Form {
        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                description =
                        "table (columns aligned, no wider than the terminal), tsv (tab-separated, with a line of names), json (a JSON object a line), of rules lint sarif (a log of findings), of whatif and rules diff --semantic markdown (a table for pull requests) (default: table on a terminal, else tsv).")
        private @Nullable Format format;

        @Option(names = "--json", description = "The same as --format json.")
        private boolean json;
    }

    /** Opens the output of rows in the chosen format. */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out) {
        return open(rows, out, RowOptions::refuseSarif, RowOptions::refuseMarkdown);
    }

    private static <R> RowsOut<R> refuseSarif(LinesOut out) {
        throw new UsageException(
                "--format sarif: is of findings, which rules lint prints; use table, tsv or json");
    }

    private static <R> RowsOut<R> refuseMarkdown(LinesOut out) {
        throw new UsageException(
                "--format markdown: is of differences, which whatif and rules diff --semantic print; use table, tsv or json");
    }

    /**
     * Opens the output of rows in the chosen format.
     *
     * @param sarif opens a log of findings
     */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out, Function<LinesOut, RowsOut<R>> sarif) {
        return open(rows, out, sarif, RowOptions::refuseMarkdown);
    }

    /**
     * Opens the output of differences in the chosen format.
     *
     * @param markdown opens a table in Markdown
     */
    <R> RowsOut<R> openOrMarkdown(
            RowForm<R> rows, LinesOut out, Function<LinesOut, RowsOut<R>> markdown) {
        return open(rows, out, RowOptions::refuseSarif, markdown);
    }

    private <R> RowsOut<R> open(
            RowForm<R> rows,
            LinesOut out,
            Function<LinesOut, RowsOut<R>> sarif,
            Function<LinesOut, RowsOut<R>> markdown) {
        return switch (format()) {
            case TABLE ->
                    rows.aligned(out, Console.isTerminal() ? Console.columns() : Integer.MAX_VALUE);
            case TSV -> rows.tabSeparated(out);
            case JSON -> rows.json(out);
            case SARIF -> sarif.apply(out);
            case MARKDOWN -> markdown.apply(out);
        };
    }

    private Format format() {
        if (form.format != null) {
            return form.format;
        }
        return form.json ? Format.JSON : Console.isTerminal() ? Format.TABLE : Format.TSV;
    }
}
