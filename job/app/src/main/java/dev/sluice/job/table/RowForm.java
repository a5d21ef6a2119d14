package dev.sluice.job.table;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What rows of a kind look like.
 *
 * @param table columns for a person, of which the last may be cut
 * @param tsv columns for a program, tab-separated under a line of names
 * @param json a row as a JSON object, without a line end
 */
public record RowForm<R>(List<Column<R>> table, List<Column<R>> tsv, Function<R, String> json) {
    /** Prints rows aligned, in lines of so many characters at most. */
    public RowsOut<R> aligned(LinesOut out, int width) {
        return new AlignedRows<>(table, out, width);
    }

    /** Prints rows tab-separated, beginning with the names. */
    public RowsOut<R> tabSeparated(LinesOut out) {
        out.head(tsv.stream().map(Column::name).collect(Collectors.joining("\t")));
        return lines(
                row -> tsv.stream().map(c -> c.text(row)).collect(Collectors.joining("\t")), out);
    }

    /** Prints rows as JSON objects. */
    public RowsOut<R> json(LinesOut out) {
        return lines(json, out);
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
