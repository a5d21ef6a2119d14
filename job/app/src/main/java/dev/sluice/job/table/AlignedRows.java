package dev.sluice.job.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Rows as an aligned table for people.
 *
 * <p>Columns are two blanks apart, and no line is wider than the terminal; longer text is cut and
 * ends with {@code …}. Columns without any value are omitted.
 *
 * <p>The first {@link #SAMPLE} rows, or fewer before a flush, are kept to find the columns and
 * their widths. A longer cell of a later row widens its column from there on. A cell in an omitted
 * column prints the headings again.
 */
final class AlignedRows<R> implements RowsOut<R> {
    private static final int SAMPLE = 100;
    private static final String GAP = "  ";

    private final List<TableColumn<R>> columns;
    private final LinesOut out;
    private final int width;
    private final int[] widths;
    private List<List<String>> sample = new ArrayList<>();
    private boolean begun;

    AlignedRows(List<TableColumn<R>> columns, LinesOut out, int width) {
        this.columns = columns;
        this.out = out;
        this.width = width;
        this.widths = new int[columns.size()];
    }

    @Override
    public boolean row(R row) {
        List<String> cells = columns.stream().map(column -> column.text(row)).toList();
        if (!begun) {
            sample.add(cells);
            return sample.size() < Math.min(SAMPLE, out.left()) || begin();
        }
        if (widen(cells)) {
            head();
        }
        return out.line(line(cells));
    }

    @Override
    public boolean flush() {
        if (!sample.isEmpty()) {
            begin();
        }
        return out.flush();
    }

    /** Prints the headings and the rows of the sample. */
    private boolean begin() {
        begun = true;
        sample.forEach(this::widen);
        head();
        boolean more = true;
        for (List<String> cells : sample) {
            more = out.line(line(cells));
        }
        sample = List.of();
        return more;
    }

    private void head() {
        out.head(line(columns.stream().map(c -> c.name().toUpperCase(Locale.ROOT)).toList()));
    }

    /** Widens columns for these cells; returns whether one of them is in an omitted column. */
    private boolean widen(List<String> cells) {
        boolean news = false;
        for (int i = 0; i < widths.length; i++) {
            int length = Math.min(cells.get(i).length(), columns.get(i).most());
            if (length > 0) {
                news |= widths[i] == 0;
                widths[i] = Math.max(widths[i], Math.max(length, columns.get(i).name().length()));
            }
        }
        return news;
    }

    private String line(List<String> cells) {
        StringBuilder line = new StringBuilder(128);
        for (int i = 0; i < widths.length; i++) {
            if (widths[i] == 0) {
                continue;
            }
            boolean last = i == widths.length - 1;
            String cell = last ? cells.get(i) : cut(cells.get(i), widths[i]);
            line.append(line.isEmpty() ? "" : GAP).append(cell);
            line.append(" ".repeat(last ? 0 : widths[i] - cell.length()));
        }
        return cut(line.toString().stripTrailing(), width);
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, Math.max(0, most - 1)) + "…";
    }
}
