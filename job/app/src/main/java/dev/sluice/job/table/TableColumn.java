package dev.sluice.job.table;

import dev.sluice.job.EscapedText;
import java.util.function.Function;

/**
 * TableColumn of rows.
 *
 * @param name its heading
 * @param most maximal number of characters in an aligned table; the last column takes the rest of
 *     the line
 * @param cell returns the text of a row's cell; empty: no value
 */
public record TableColumn<R>(String name, int most, Function<R, String> cell) {
    /** Creates a column whose cells are shown whole. */
    public static <R> TableColumn<R> of(String name, Function<R, String> cell) {
        return new TableColumn<>(name, Integer.MAX_VALUE, cell);
    }

    /** Returns the cell of a row, escaped so that it breaks no table. */
    public String text(R row) {
        return EscapedText.cell(cell.apply(row));
    }
}
