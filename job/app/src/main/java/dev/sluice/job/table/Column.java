package dev.sluice.job.table;

import dev.sluice.job.EscapedText;
import java.util.function.Function;

/**
 * A column of rows.
 *
 * @param name its heading
 * @param most characters of it that an aligned table shows; of the last column it shows what has
 *     room
 * @param cell what it says of a row; empty: nothing
 */
public record Column<R>(String name, int most, Function<R, String> cell) {
    /** A column whose cells are shown whole. */
    public static <R> Column<R> of(String name, Function<R, String> cell) {
        return new Column<>(name, Integer.MAX_VALUE, cell);
    }

    /** The cell of a row, which breaks no table. */
    String text(R row) {
        return EscapedText.cell(cell.apply(row));
    }
}
