package dev.sluice.job.page;

import java.util.List;

/** Figure above the table of a section. */
public sealed interface PageFigure {
    /**
     * Chart of the table's numbers over time: the first column is the time at which a row begins.
     *
     * @param stepMillis time from each row to the next
     */
    record Chart(long stepMillis) implements PageFigure {}

    /**
     * Numbers by two properties. The first two columns of the table that have these names link to
     * it.
     *
     * @param rowName column of the table that the rows are of
     * @param columnName column of the table that the columns are of
     * @param cells a number for each column, for each row
     */
    record Matrix(
            String rowName,
            String columnName,
            List<String> rows,
            List<String> columns,
            long[][] cells)
            implements PageFigure {}
}
