package dev.sluice.job.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Section of a page: a tab with a table. Not thread-safe. */
public final class PageSection {
    /**
     * Most rows of a section that grows with packets or findings: so a page with 100,000 rules
     * stays below 5 MB.
     */
    public static final int MOST_ROWS = 10_000;

    final String id;
    final String title;
    final List<PageColumn> columns;
    final List<@Nullable Object[]> rows = new ArrayList<>();
    String note = "";
    @Nullable PageFigure figure;

    /**
     * A section without rows.
     *
     * @param id part of addresses in the page: lower-case letters and hyphens
     */
    public PageSection(String id, String title, List<PageColumn> columns) {
        this.id = id;
        this.title = title;
        this.columns = List.copyOf(columns);
    }

    /** Sets a sentence that stands above the table. */
    public PageSection note(String words) {
        note = words;
        return this;
    }

    /** Sets the figure above the table. */
    public PageSection figure(PageFigure above) {
        figure = above;
        return this;
    }

    /**
     * Adds a row.
     *
     * @param values of the columns, in their order and of their kinds
     */
    public void row(@Nullable Object... values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException(
                    "%d values of %d columns".formatted(values.length, columns.size()));
        }
        rows.add(values);
    }
}
