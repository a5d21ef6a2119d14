package dev.sluice.job.table;

import dev.sluice.job.EscapedText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows as a table in Markdown. Columns without any value are omitted, so all rows are kept. */
public final class MarkdownRows<R> implements RowsOut<R> {
    private final List<TableColumn<R>> columns;
    private final LinesOut out;
    private final List<List<String>> rows = new ArrayList<>();

    MarkdownRows(List<TableColumn<R>> columns, LinesOut out) {
        this.columns = columns;
        this.out = out;
    }

    @Override
    public boolean row(R row) {
        rows.add(columns.stream().map(column -> cell(column.cell().apply(row))).toList());
        return true;
    }

    @Override
    public boolean flush() {
        int[] used =
                IntStream.range(0, columns.size())
                        .filter(at -> rows.stream().anyMatch(row -> !row.get(at).isEmpty()))
                        .toArray();
        if (!rows.isEmpty()) {
            List<String> names = columns.stream().map(TableColumn::name).toList();
            out.line(line(names, used));
            out.line("|" + "---|".repeat(used.length));
        }
        rows.forEach(row -> out.line(line(row, used)));
        rows.clear();
        return out.flush();
    }

    private static String line(List<String> cells, int[] used) {
        return IntStream.of(used)
                .mapToObj(cells::get)
                .collect(Collectors.joining(" | ", "| ", " |"));
    }

    /** A text that ends no cell, and is no mark-up. */
    public static String cell(String text) {
        return EscapedText.line(text).replace('\t', ' ').replaceAll("([\\\\|<*_`\\[])", "\\\\$1");
    }
}
