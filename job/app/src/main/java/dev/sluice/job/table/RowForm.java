package dev.sluice.job.table;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Output forms of one kind of rows.
 *
 * @param table columns for people; the last one may be cut
 * @param tsv columns for programs, tab-separated below a line of names
 * @param json returns a row as a JSON object
 */
public record RowForm<R>(
        List<TableColumn<R>> table, List<TableColumn<R>> tsv, Function<R, ObjectNode> json) {
    /** Prints rows aligned, in lines of a maximal width. */
    public RowsOut<R> aligned(LinesOut out, int width) {
        return new AlignedRows<>(table, out, width);
    }

    /** Prints rows tab-separated, below a line of names. */
    public RowsOut<R> tabSeparated(LinesOut out) {
        out.head(tsv.stream().map(TableColumn::name).collect(Collectors.joining("\t")));
        return lines(
                row -> tsv.stream().map(c -> c.text(row)).collect(Collectors.joining("\t")), out);
    }

    /** Prints rows as a table in Markdown. */
    public RowsOut<R> markdown(LinesOut out) {
        return new MarkdownRows<>(table, out);
    }

    /** Prints each row as a JSON object. */
    public RowsOut<R> json(LinesOut out) {
        return lines(row -> json.apply(row).toString(), out);
    }

    private RowsOut<R> lines(Function<R, String> line, LinesOut out) {
        return new RowsOut<>() {
            @Override
            public boolean row(R row) {
                return out.line(line.apply(row));
            }

            @Override
            public boolean flush() {
                return out.flush();
            }
        };
    }
}
