package dev.sluice.job.table;

/** Prints rows, as long as somebody reads them. Not thread-safe. */
public interface RowsOut<R> {
    /** Prints a row, perhaps with those that follow; returns whether there is a use for more. */
    boolean row(R row);

    /** Hands on all that was printed; returns whether there is a use for more. */
    boolean flush();
}
