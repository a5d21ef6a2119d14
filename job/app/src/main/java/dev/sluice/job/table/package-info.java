/**
 * Rows that commands print: aligned and no wider than the terminal for a person, tab-separated or
 * as JSON objects for a program. A {@link dev.sluice.job.table.RowForm} says what rows of a kind
 * look like in each of these, a {@link dev.sluice.job.table.RowsOut} prints them.
 */
@NullMarked
package dev.sluice.job.table;

import org.jspecify.annotations.NullMarked;
