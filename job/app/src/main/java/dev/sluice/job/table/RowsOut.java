package dev.sluice.job.table;

/** Output of rows, while somebody reads them. Not thread-safe. */
public interface RowsOut<R> {
    /** Prints a row, possibly later; returns whether further rows are wanted. */
    boolean row(R row);

    /** Flushes all printed rows; returns whether further rows are wanted. */
    boolean flush();
}
