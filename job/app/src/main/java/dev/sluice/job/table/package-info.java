/**
 * Output of rows by commands: an aligned table for people, tab-separated values or JSON objects for
 * programs.
 *
 * <p>A {@link dev.sluice.job.table.RowForm} defines the columns of one kind of rows for each form;
 * a {@link dev.sluice.job.table.RowsOut} prints the rows. An aligned table is no wider than the
 * terminal.
 */
@NullMarked
package dev.sluice.job.table;

import org.jspecify.annotations.NullMarked;
